/**
 * Valid values of a schema, generated with fast-check.
 */
import fc from 'fast-check';
import { type TSchema, Type } from '../../http/schemas.ts';
import { accepts } from './accepts.ts';
import { nounsOfField, nounsOfSchema, type Pool, type Scalars } from './pool.ts';

export interface Source {
  /** The source of existing ids. */
  pool: Pool;
  /** Prefer values seen on open routes. */
  isOpen?: boolean;
  /** Added to free text, to recognise its author wherever it appears. */
  marker?: string;
  /** Fields without the marker: both sides write the same values there. */
  unmarked?: ReadonlySet<string>;
  /** With all optional properties, without null and empty arrays, so that each field can be generated invalid. */
  complete?: boolean;
  /** The percentage of the optional properties to include, read at each draw. Fewer cause fewer refusals. Default: 50. */
  optional?: () => number;
  /** Mostly use the document's examples, which are consistent with each other, for example in their currency. */
  preferExamples?: boolean;
}

/** A field and the nouns that name its object. */
interface Field {
  name: string;
  of: readonly string[];
}
/** The position of a value in the pool: half of all draws take the most frequent one. */
export const placeInPool = fc.oneof(fc.constant(0), fc.nat({ max: 999 }));

const noField: Field = { name: '', of: [] };

type Values = fc.Arbitrary<unknown>;
type Node = TSchema & Record<string, unknown>;

/** An arbitrary for the values of a schema. */
export function arbitraryOf(schema: TSchema, source: Source, field: Field = noField): Values {
  const values = unrestricted(schema as Node, source, field);
  return 'not' in schema ? values.filter((value) => accepts(schema, value)) : values;
}

function unrestricted(schema: Node, source: Source, field: Field): Values {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return choiceOf(schema.enum, schema, source);
  if (Array.isArray(schema.anyOf)) return unionOf(schema.anyOf, source, field);
  if (Array.isArray(schema.type)) {
    return unionOf(
      schema.type.map((type) => ({ ...schema, type })),
      source,
      field,
    );
  }
  if (schema.type === 'string') return textOf(schema, source, field);
  if (schema.type === 'integer' || schema.type === 'number') return withExamples(schema, numberOf(schema), source);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'array') return listOf(schema, source, field);
  if (schema.type === 'object') return objectOf(schema, source);
  return fc.jsonValue({ maxDepth: 2 });
}

function choiceOf(values: readonly unknown[], schema: Node, source: Source): Values {
  const choices = source.complete ? values.filter((value) => value !== null) : values;
  return withExamples(schema, fc.constantFrom(...choices), source);
}

function unionOf(schemas: readonly Node[], source: Source, field: Field): Values {
  const choices = schemas.filter(({ type }) => !(source.complete && type === 'null'));
  return fc.oneof(...choices.map((choice) => arbitraryOf(choice, source, field)));
}

/** Adds the document's examples, which make sense: a currency that exists, a plausible address. */
function withExamples(schema: Node, values: Values, source: Source): Values {
  const examples = (schema.examples as unknown[] | undefined)?.filter((example) => fits(example, schema.type));
  if (!examples?.length) return values;
  const weight = source.preferExamples ? 12 : 2;
  return fc.oneof({ weight, arbitrary: fc.constantFrom(...examples) }, { weight: 1, arbitrary: values });
}

function fits(example: unknown, type: unknown): boolean {
  if (type === 'integer' || type === 'number') return typeof example === 'number';
  return type === undefined || typeof example === type;
}

function numberOf({ type, minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Node): Values {
  const complete = type === 'integer';
  const step = complete ? 1 : 0.001;
  const min =
    (minimum as number) ?? (exclusiveMinimum === undefined ? -1_000_000 : (exclusiveMinimum as number) + step);
  const max = (maximum as number) ?? (exclusiveMaximum === undefined ? 1_000_000 : (exclusiveMaximum as number) - step);
  return complete ? fc.integer({ min, max }) : fc.double({ min, max, noNaN: true });
}

function textOf(schema: Node, source: Source, { name, of }: Field): Values {
  const {
    format,
    pattern,
    minLength = 0,
    maxLength = 200,
  } = schema as { [key: string]: unknown } & {
    minLength?: number;
    maxLength?: number;
  };
  const fitting = (text: unknown) => {
    const { length } = [...(text as string)];
    return length >= minLength && length <= maxLength;
  };
  const generated = (
    format !== undefined
      ? textOfFormat(String(format))
      : pattern !== undefined
        ? textOfPattern(String(pattern), Math.max(minLength, Math.min(maxLength, 60)))
        : freeText(minLength, Math.min(maxLength, minLength + 30))
  ).filter(fitting);
  const isFree = format === undefined && pattern === undefined && !source.unmarked?.has(name);
  const plain = withExamples(schema, generated, source);
  const values = isFree
    ? plain.map((text) => {
        const marked = `${source.marker ?? ''} ${text}`.trim();
        return source.marker && fitting(marked) ? marked : text;
      })
    : plain;
  // An id is only useful if it exists; other values are sometimes existing ones.
  const known = format === 'uuid' || /(Id|^id|^key|^token|^cursor)$/.test(name) ? 19 : 3;
  return fc.tuple(values, fc.nat({ max: 19 }), placeInPool).map(([value, chance, place]) => {
    if (chance >= known) return value;
    const there = source.pool.pick(nounsOfField(name, of), place, source.isOpen);
    return there !== undefined && fitting(there) && accepts(schema, there) ? there : value;
  });
}

const patterns = new Map<string, fc.Arbitrary<string>>();

/** Cached: parsing a pattern costs more than generating many texts. */
function textOfPattern(pattern: string, maxLength: number): fc.Arbitrary<string> {
  const key = `${maxLength} ${pattern}`;
  const values = patterns.get(key) ?? fc.stringMatching(new RegExp(pattern, 'u'), { maxLength });
  patterns.set(key, values);
  return values;
}

const freeTexts = new Map<string, fc.Arbitrary<string>>();

/** Cached, as patterns are: fast-check prepares many special texts for each. */
function freeText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const key = `${minLength} ${maxLength}`;
  const values = freeTexts.get(key) ?? fc.string({ unit: 'grapheme-composite', minLength, maxLength });
  freeTexts.set(key, values);
  return values;
}

function textOfFormat(format: string): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid({ version: 7 });
  if (format === 'email') return fc.integer({ min: 1, max: 1_000_000 }).map((number) => `ada${number}@example.com`);
  if (format === 'uri') return fc.webUrl();
  if (format === 'handle-in-any-script') return textOfPattern('^[a-z0-9]+(-[a-z0-9]+)*$', 30);
  if (format === 'handle') return textOfPattern('^[a-z0-9]+(-[a-z0-9]+)*$', 30);
  if (format === 'country') return fc.constantFrom('AT', 'CH', 'DE', 'FR', 'GB', 'JP', 'US');
  if (format === 'language-tag') return fc.constantFrom('de', 'EN-gb', 'fr-CH', 'pt-br');
  if (format === 'currency-in-any-case') return fc.constantFrom('EUR', 'usd', 'Jpy');
  if (format === 'time-zone-in-any-case')
    return fc.constantFrom('UTC', 'GMT', 'Europe/Paris', 'america/new_york', 'US/Pacific');
  if (format === 'country-or-name') return fc.constantFrom('AT', 'che', 'Deutschland', 'FR', 'GBR', 'Japan', 'US');
  if (format === 'locale') return fc.constantFrom('de', 'de-CH', 'en-GB', 'es-419', 'zh-Hant-TW');
  if (format === 'time-zone') return fc.constantFrom('America/Sao_Paulo', 'Asia/Kolkata', 'Europe/Paris', 'UTC');
  if (format === 'phone') return fc.constantFrom('+33 1 23 45 67 89', '(555) 010-0199 x12', '030/123 45-67', '12345');
  if (format === 'phone-or-copied')
    return fc.constantFrom('+33 1 23 45 67 89', '\u202a+49 30 12345\u202c', '＋８１ ３ １２３４ ５６７８');
  if (format === 'currency') return fc.constantFrom('CHF', 'EUR', 'JPY', 'KWD', 'USD');
  const times = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
  if (format === 'date-time') return times.map((time) => time.toISOString());
  if (format === 'date') return times.map((time) => time.toISOString().slice(0, 10));
  throw new Error(`there is no generator for the format ${format}: add one here`);
}

function listOf(schema: Node, source: Source, field: Field): Values {
  const {
    items = Type.Unknown(),
    minItems = 0,
    maxItems = 3,
    uniqueItems,
  } = schema as Node & {
    items?: TSchema;
    minItems?: number;
    maxItems?: number;
  };
  const least = Math.max(minItems, source.complete ? 1 : 0);
  const length = { minLength: least, maxLength: Math.max(least, Math.min(maxItems, least + 2)) };
  const item = arbitraryOf(items, source, field);
  return uniqueItems
    ? fc.uniqueArray(item, { ...length, comparator: (a, b) => JSON.stringify(a) === JSON.stringify(b) })
    : fc.array(item, length);
}

/** The record, if its values match the properties. */
function fitting({ properties }: Node, record: Scalars | undefined): object | undefined {
  const fits = record && Object.entries(record).every(([name, value]) => accepts(properties[name], value));
  return fits ? record : undefined;
}

function objectOf(schema: Node, source: Source): Values {
  const {
    properties = {},
    required = [],
    minProperties = 0,
    maxProperties = 5,
    additionalProperties,
  } = schema as Node & {
    properties?: Record<string, TSchema>;
    required?: string[];
    minProperties?: number;
    maxProperties?: number;
  };
  const of = nounsOfSchema(schema);
  const names = Object.keys(properties);
  const declared = fc.record(
    Object.fromEntries(names.map((name) => [name, arbitraryOf(properties[name] as TSchema, source, { name, of })])),
  );
  const chances = fc.array(fc.nat({ max: 99 }), { minLength: names.length, maxLength: names.length });
  const known = fc.tuple(declared, chances).map(([values, dice]) => {
    const density = source.complete ? 100 : (source.optional?.() ?? 50);
    const rank = (name: string) => (required.includes(name) ? -1 : (dice[names.indexOf(name)] as number));
    const order = names.toSorted((a, b) => rank(a) - rank(b));
    const included = order.filter((name, index) => index < minProperties || rank(name) < density);
    return Object.fromEntries(included.map((name) => [name, (values as Record<string, unknown>)[name]]));
  });
  const room = Math.min(maxProperties, 5);
  const more = !additionalProperties
    ? fc.constant({})
    : fc.dictionary(
        fc.string({ minLength: 1, maxLength: 20 }).filter((key) => !(key in properties) && !(key in {})),
        additionalProperties === true ? fc.jsonValue({ maxDepth: 1 }) : arbitraryOf(additionalProperties, source),
        { minKeys: Math.max(0, minProperties - names.length), maxKeys: room, noNullPrototype: true },
      );
  return fc
    .tuple(known, more, fc.nat({ max: 2 }), fc.nat({ max: 999 }))
    .map(([one, other, chance, place]) => ({
      ...other,
      ...one,
      // Sometimes take values from one record, since they belong together.
      ...(chance === 0 && required.length > 1 && fitting(schema, source.pool.record(required, place))),
    }))
    .filter((value) => Object.keys(value).length >= minProperties);
}
