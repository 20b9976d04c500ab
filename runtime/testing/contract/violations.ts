/**
 * Values that violate a schema in one place and one keyword, each with the JSON pointer (RFC 6901) to that place.
 */
import type { TSchema } from '../../http/schemas.ts';
import { accepts } from './accepts.ts';

export interface Violation {
  /** The violated keyword of the schema: `maxLength`, or `an unknown field`. */
  keyword: string;
  /** The pointer that must be reported. */
  pointer: string;
  /** The complete value with the violation. */
  value: unknown;
}

type Node = TSchema & Record<string, unknown>;
interface Limits {
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  additionalProperties?: unknown;
}
type Members = Record<string, unknown>;

/** A name that needs escaping in a pointer. */
const nameToEscape = 'no~such/field';

/**
 * All violations of `schema` in one place of `value`, which is valid.
 * @param isText the value is sent as text, as in a query: "12" is a number there
 */
export function* violationsOf(schema: TSchema, value: unknown, isText = false): Generator<Violation> {
  const node = schema as Node;
  if (Array.isArray(node.anyOf)) {
    yield* violationsOfUnion(node.anyOf, value, isText);
    return;
  }
  for (const [keyword, invalid] of invalidValues(node, value, isText)) yield { keyword, pointer: '', value: invalid };
  if (Array.isArray(value)) {
    const [first, ...others] = value;
    for (const violation of value.length > 0 && node.items ? violationsOf(node.items, first, isText) : []) {
      yield { ...violation, pointer: `/0${violation.pointer}`, value: [violation.value, ...others] };
    }
  } else if (isObject(value)) yield* violationsOfMembers(node, value, isText);
}

/** A value that matches no alternative, and the violations of the alternative that the value matches. */
function* violationsOfUnion(choices: readonly Node[], value: unknown, isText: boolean): Generator<Violation> {
  const misfit = [true, 12.5, 'text', [[]]].find((each) => !choices.some((choice) => accepts(choice, each)));
  if (misfit !== undefined && !isText) yield { keyword: 'type', pointer: '', value: misfit };
  const own = choices.find((choice) => accepts(choice, structuredClone(value)));
  for (const violation of own ? violationsOf(own, value, isText) : []) {
    const fits = choices.some((choice) => accepts(choice, structuredClone(violation.value)));
    // An empty text is null where that is allowed, as in `invalidTexts`.
    const isNull = violation.value === '' && choices.some(({ type }) => type === 'null');
    if (!fits && !isNull) yield violation;
  }
}

function* violationsOfMembers(node: Node, value: Members, isText: boolean): Generator<Violation> {
  const { properties = {}, required = [], additionalProperties } = node as { properties?: Record<string, Node> } & Node;
  for (const name of required as string[]) {
    // A property with a default is never missing.
    if (properties[name] && 'default' in properties[name]) continue;
    const { [name]: _, ...others } = value;
    yield { keyword: 'required', pointer: `/${escapeToken(name)}`, value: others };
  }
  if (additionalProperties === false) {
    for (const name of ['noSuchField', nameToEscape]) {
      yield { keyword: 'an unknown field', pointer: `/${escapeToken(name)}`, value: { ...value, [name]: 'x' } };
    }
  }
  for (const [name, child] of Object.entries(properties)) {
    if (!(name in value)) continue;
    for (const violation of violationsOf(child, value[name], isText)) {
      yield {
        ...violation,
        pointer: `/${escapeToken(name)}${violation.pointer}`,
        value: { ...value, [name]: violation.value },
      };
    }
  }
}

function* invalidValues(node: Node, value: unknown, isText: boolean): Generator<[keyword: string, value: unknown]> {
  for (const invalid of wrongTypes(node, isText)) yield ['type', invalid];
  if (node.const !== undefined) yield ['const', isText ? 'no such' : { no: 'such' }];
  if (Array.isArray(node.enum)) yield ['enum', 'no such choice'];
  if (typeof node.minimum === 'number') yield ['minimum', node.minimum - 1];
  if (typeof node.maximum === 'number') yield ['maximum', node.maximum + 1];
  if (typeof node.exclusiveMinimum === 'number') yield ['exclusiveMinimum', node.exclusiveMinimum];
  if (typeof node.exclusiveMaximum === 'number') yield ['exclusiveMaximum', node.exclusiveMaximum];
  if (typeof node.multipleOf === 'number') yield ['multipleOf', node.multipleOf / 2];
  if (typeof value === 'string') yield* invalidTexts(node);
  if (Array.isArray(value)) yield* invalidArrays(node, value);
  if (isObject(value)) yield* invalidSizes(node, value);
}

function wrongTypes({ type }: Node, isText: boolean): unknown[] {
  const types = [type].flat() as string[];
  if (type === undefined) return [];
  if (isText) return types.some((each) => /integer|number|boolean/.test(each)) ? ['nothing'] : [];
  const samples: [type: string[], sample: unknown][] = [
    [['string'], 'text'],
    [['number'], 12.5],
    [['number', 'integer'], 12],
    [['boolean'], true],
    [['null'], null],
    [['array'], [[]]],
    [['object'], { 'no such': 'object' }],
  ];
  return samples.filter(([of]) => !of.some((each) => types.includes(each))).map(([, sample]) => sample);
}

function* invalidTexts(node: Node): Generator<[string, unknown]> {
  const { minLength, maxLength, pattern, format } = node as Limits;
  // Boxes take a blank text for null where a field may be null (`http/empty-texts.ts`).
  const isOptional = [node.type].flat().includes('null');
  const takesEmpty = minLength === 1 && isOptional;
  if (typeof minLength === 'number' && minLength > 0 && !takesEmpty) yield ['minLength', 'a'.repeat(minLength - 1)];
  if (typeof maxLength === 'number') yield ['maxLength', 'a'.repeat(maxLength + 1)];
  const misfit = ['!', '\n', 'ü', 'A A', '{}', ''].find(
    (text) => pattern && !new RegExp(pattern, 'u').test(text) && !(isOptional && text.trim() === ''),
  );
  if (misfit !== undefined) yield ['pattern', misfit];
  if (format) yield ['format', `no ${format}\n`];
}

function* invalidArrays(node: Node, value: readonly unknown[]): Generator<[string, unknown]> {
  const { minItems, maxItems, uniqueItems } = node as Limits;
  if (value.length === 0) return;
  if (typeof minItems === 'number' && minItems > 0) yield ['minItems', value.slice(0, minItems - 1)];
  if (typeof maxItems === 'number') yield ['maxItems', Array.from({ length: maxItems + 1 }, () => value[0])];
  if (uniqueItems) yield ['uniqueItems', [value[0], value[0]]];
}

function* invalidSizes(node: Node, value: Members): Generator<[string, unknown]> {
  const { minProperties, maxProperties, additionalProperties } = node as Limits;
  if (typeof minProperties === 'number' && minProperties > 0) yield ['minProperties', {}];
  if (typeof maxProperties !== 'number' || additionalProperties === false) return;
  const [sample = 'x'] = Object.values(value);
  const many = Array.from({ length: maxProperties + 1 }, (_, index) => [`member${index}`, sample]);
  yield ['maxProperties', Object.fromEntries(many)];
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escapeToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
