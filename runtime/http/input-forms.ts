/**
 * Values that requests may write in several forms, such as a country by its code or its name: wherever a schema of a body or
 * a query has a format with input forms, all of them are accepted, and the handler gets the one that is stored.
 */
import type { Meaning } from './field-errors.ts';
import type { TSchema } from './schemas.ts';
import { convertText, defineFormat } from './validation.ts';
import { writtenLine, writtenText } from './written.ts';

export interface InputForms {
  /** The name of the format that takes the place of the strict one in requests. Without it, the format stays. */
  readonly name?: string;
  /** Completes "must be" in error messages. */
  readonly meaning: Meaning;
  /** The text as it is stored; null if it is in none of the forms. */
  parse(text: string): string | null;
  readonly maxLength: number;
  /** For schemas without a description of their own. */
  readonly description: string;
}

const meaning = 'a text that is not blank';
convertText('trimmed', { parse: writtenLine, meaning });
convertText('trimmed-lines', { parse: writtenText, meaning });
convertText('trimmed-or-empty', { parse: (text) => writtenLine(text) ?? '', meaning });

const formsByFormat = new Map<unknown, InputForms>();

/** Defines the forms in which requests write values of a format. */
export function defineInputForms(format: string, forms: InputForms): void {
  const { name, meaning, parse } = forms;
  if (name !== undefined) defineFormat(name, meaning, (text) => parse(text) !== null);
  convertText(name ?? format, { parse, meaning: name === undefined ? meaning : null });
  formsByFormat.set(format, forms);
}

const requestSchemas = new WeakMap<object, unknown>();

/**
 * The schema of a body or a query with the input forms of its values; the same object if nothing in it has any. Each
 * schema is converted once, so that those with a name remain one.
 */
export function requestSchema<T>(schema: T): T {
  if (schema === null || typeof schema !== 'object') return schema;
  let converted = requestSchemas.get(schema);
  if (converted === undefined) {
    converted = convert(schema as object as TSchema);
    requestSchemas.set(schema, converted);
    // It may have the same format.
    requestSchemas.set(converted as object, converted);
  }
  return converted as T;
}

function convert(schema: TSchema | readonly unknown[]): unknown {
  if (Array.isArray(schema)) {
    const items = schema.map(requestSchema);
    return items.some((item, at) => item !== schema[at]) ? items : schema;
  }
  const forms = formsByFormat.get((schema as TSchema).format);
  if ((schema as TSchema)['x-converted']) return schema;
  if (forms) return withForms(schema as TSchema, forms);
  if ((schema as TSchema)['x-trimmed']) return withSpaces(schema as TSchema);
  const own = schema as TSchema;
  let changed: Record<string, unknown> | null = null;
  for (const [key, value] of Object.entries(own)) {
    if (key === 'examples' || key === 'default') continue;
    const converted = requestSchema(value);
    if (converted !== value) changed = { ...(changed ?? own), [key]: converted };
  }
  return changed ?? schema;
}

const convertersOfTrimmed = new Map<unknown, string>([
  [true, 'trimmed'],
  ['lines', 'trimmed-lines'],
  ['or-empty', 'trimmed-or-empty'],
]);

/** Of a text that may have spaces around it. */
function withSpaces(schema: TSchema): TSchema {
  const { pattern } = schema;
  const inside = pattern === undefined ? {} : { pattern: `^\\s*(?:${pattern.replace(/^\^|\$$/g, '')})\\s*$` };
  return { ...schema, ...inside, 'x-converted': convertersOfTrimmed.get(schema['x-trimmed']) };
}

function withForms(
  { pattern: _, format, ...schema }: TSchema,
  { name = format, maxLength, description }: InputForms,
): TSchema {
  return { description, ...schema, format: name, maxLength, 'x-converted': name } as unknown as TSchema;
}
