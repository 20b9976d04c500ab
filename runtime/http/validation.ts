/**
 * Validates requests by their schemas. Each schema is compiled at its first use: compiling hundreds of them would
 * dominate the start.
 */
import { Ajv2020, _ as ajvParams, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import addFormatsModule from 'ajv-formats';
import { converterMeanings, detailOf, fieldErrors, formatMeanings, type Meaning } from './field-errors.ts';
import { type FieldError, invalidRequest } from './problems.ts';
import { type TSchema, transformSchema } from './schemas.ts';
import { uniqueItems } from './unique-items.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
// The schemas themselves are validated in tests, as part of the OpenAPI document; compiling the meta-schema at every
// start would take longer than all other schemas together.
const withoutMetaSchema = { meta: false, validateSchema: false };
const options = { strict: true, allErrors: true, strictTypes: false, allowUnionTypes: true, ...withoutMetaSchema };
// Paths, queries and forms have strings only, so there "12" may become 12.
const exact = new Ajv2020({ ...options, useDefaults: true });
// All errors of a megabyte may be hundreds of thousands, which takes ten times as long as to read it.
const untilFirstError = new Ajv2020({ ...options, allErrors: false, useDefaults: true });
const coercing = new Ajv2020({ ...options, useDefaults: true, coerceTypes: 'array' });
const all = [exact, untilFirstError, coercing];
for (const ajv of all) {
  addFormats(ajv);
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems);
  // JSON Schema has no limit for the size of an object.
  ajv.addKeyword({
    keyword: 'x-maxBytes',
    validate: (limit: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limit,
    error: { message: ({ schema }) => `must have at most ${schema} bytes as JSON` },
  });
  // For readers of the document: who may set the value is checked by the service that stores it.
  ajv.addKeyword({ keyword: 'x-permission', schemaType: 'string' });
  // Has `x-converted` in requests.
  ajv.addKeyword({ keyword: 'x-trimmed', schemaType: ['boolean', 'string'] });
  ajv.addKeyword({
    ...{ keyword: 'x-converted', type: 'string', schemaType: 'string', modifying: true, validate: convert },
    error: { message: 'is in none of the forms', params: ({ schema }) => ajvParams`{ form: ${schema} }` },
  });
}

interface Converter {
  /** Returns what takes the place of a text; null if it is in none of the forms. */
  parse(text: string): string | null;
  /** What a text must be; null if the format of the same name reports what cannot be converted. */
  meaning: Meaning | null;
}

const converters = new Map<string, Converter>();

/** Has `x-converted` with this name replace texts in values that are validated. */
export function convertText(name: string, converter: Converter): void {
  converters.set(name, converter);
  if (converter.meaning !== null) converterMeanings.set(name, converter.meaning);
}

function convert(name: string, text: string, _: unknown, place?: DataValidationCxt): boolean {
  const converter = converters.get(name);
  const converted = converter?.parse(text) ?? null;
  // A text that is validated by itself has no place.
  if (place?.parentData && converted !== null) place.parentData[place.parentDataProperty] = converted;
  return converted !== null || !converter?.meaning;
}

/**
 * Defines a format for schemas, for strings that a pattern cannot check, such as the codes of a list.
 * @param meaning completes "must be": `a country of ISO 3166-1 alpha-2`; a function of the text that is refused may say more
 * @returns the name, for use in schemas
 */
export function defineFormat(name: string, meaning: Meaning, check: (text: string) => boolean): string {
  formatMeanings.set(name, meaning);
  for (const ajv of all) ajv.addFormat(name, check);
  return name;
}

/** The names of this API's formats, for tools that read its documents. */
export function definedFormats(): string[] {
  return [...formatMeanings.keys()];
}

const compiled = new WeakMap<Ajv2020, WeakMap<TSchema, ValidateFunction>>();

function compile(ajv: Ajv2020, schema: TSchema): ValidateFunction {
  let functions = compiled.get(ajv);
  if (!functions) {
    functions = new WeakMap();
    compiled.set(ajv, functions);
  }
  let validate = functions.get(schema);
  if (!validate) {
    // A default concerns the containing object, not the value itself.
    const { default: _, ...own } = transformSchema(schema);
    validate = ajv.compile(own);
    functions.set(schema, validate);
  }
  return validate;
}

/** Values in a body from which only its first error is found. Staff's forms and imports have fewer. */
const manyValues = 10_000;

/** Whether there are at least so many values in a value. */
function hasMany(value: unknown, many: number): boolean {
  return leftBehind(value, many) <= 0;
}

/** How many of so many values are left behind those of a value. `for … in` is not used: V8 optimizes it in vain. */
function leftBehind(value: unknown, many: number): number {
  let left = many - 1;
  if (value === null || typeof value !== 'object') return left;
  const values: unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (let at = 0; at < values.length && left > 0; at++) left = leftBehind(values[at], left);
  return left;
}

/**
 * Validates a value against a schema and fills in defaults. Strings are coerced to the types of the schema where the part
 * has strings only.
 * @param isText whether the part has strings only, as paths, queries and forms do
 * @throws invalid_request (400) with a JSON pointer for each error; for the first one if there are very many values
 */
export function validate<T>(schema: TSchema, value: T, part: FieldError['in'], isText = part !== 'body'): T {
  const check = compile(isText ? coercing : hasMany(value, manyValues) ? untilFirstError : exact, schema);
  if (check(value)) return value;
  const errors = fieldErrors(check.errors ?? [], part, value);
  throw invalidRequest(`${part} ${errors[0]?.pointer || '/'}: ${errors[0]?.detail}`, { errors });
}

/** True when the value matches the schema; for checks that do not concern the caller. */
export function matches(schema: TSchema, value: unknown): boolean {
  return compile(exact, schema)(value) as boolean;
}

/** The validation errors of a value as text; null when there are none. */
export function faults(schema: TSchema, value: unknown): string | null {
  const check = compile(exact, schema);
  if (check(value)) return null;
  const errors = (check.errors ?? []).map((error) =>
    error.keyword === 'enum' ? { ...error, message: detailOf(error) } : error,
  );
  return exact.errorsText(errors);
}
