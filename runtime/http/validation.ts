/**
 * Holding a request against its schema and an answer to its schema. Each schema is compiled at its first use:
 * compiling hundreds at start would cost more than the rest of the start.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import fastJsonStringify from 'fast-json-stringify';
import { type FieldError, invalidRequest } from './problems.ts';
import { type TSchema, transformSchema } from './schemas.ts';

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
// That a schema is one is seen in the document that it stands in, which is held against OpenAPI's own (so each route's is
// before it is published); compiling the schema of schemas at every start would take longer than all others together.
const ofSchemas = { meta: false, validateSchema: false };
const options = { strict: true, allErrors: true, strictTypes: false, allowUnionTypes: true, ...ofSchemas };
// Text arrives as strings in paths and queries only, so only there "12" may become 12.
const exact = new Ajv2020({ ...options, useDefaults: true });
const coercing = new Ajv2020({ ...options, useDefaults: true, coerceTypes: 'array' });
for (const ajv of [exact, coercing]) {
  addFormats(ajv);
  // JSON Schema bounds texts and counts, not an object as a whole.
  ajv.addKeyword({
    keyword: 'x-maxBytes',
    validate: (most: number, value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= most,
    error: { message: ({ schema }) => `must be of at most ${schema} bytes as JSON` },
  });
}

/** What a value of a format of this API is, as it is said to whoever sent another. */
const formats = new Map<string, string>();

/**
 * Adds a format that schemas may name: for texts that a pattern cannot judge, as the codes of a list.
 * @param meaning what such a text is: `a country of ISO 3166-1 alpha-2`
 * @returns the name, to stand in schemas
 */
export function defineFormat(name: string, meaning: string, check: (text: string) => boolean): string {
  formats.set(name, meaning);
  for (const ajv of [exact, coercing]) ajv.addFormat(name, check);
  return name;
}

/** The formats of this API, for whoever reads its documents. */
export function definedFormats(): string[] {
  return [...formats.keys()];
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
    // A default is of what the value is part of; here it stands by itself.
    const { default: _, ...own } = transformSchema(schema);
    validate = ajv.compile(own);
    functions.set(schema, validate);
  }
  return validate;
}

/**
 * Checks a value against a schema, filling in defaults; parts that come as text are turned into what the schema asks for.
 * @param isText the part comes as text; a path and a query do, a body only as a form
 * @throws invalid_request (400) with a JSON pointer for each fault
 */
export function validate<T>(schema: TSchema, value: T, part: FieldError['in'], isText = part !== 'body'): T {
  const check = compile(isText ? coercing : exact, schema);
  if (check(value)) return value;
  const errors = fieldErrors(check.errors ?? [], part);
  throw invalidRequest(`${part} ${errors[0]?.pointer || '/'}: ${errors[0]?.detail}`, { errors });
}

/** True when the value is of the schema; for checks that are not a caller's fault. */
export function matches(schema: TSchema, value: unknown): boolean {
  return compile(exact, schema)(value) as boolean;
}

/** The faults of a value against a schema as text, or null when there are none. */
export function faults(schema: TSchema, value: unknown): string | null {
  const check = compile(exact, schema);
  return check(value) ? null : exact.errorsText(check.errors);
}

function fieldErrors(errors: ErrorObject[], part: FieldError['in']): FieldError[] {
  // What a text of a format has to be says more than the pattern that it breaks as well.
  const meant = new Set(errors.filter(isOfFormat).map(({ instancePath }) => instancePath));
  const told = errors.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !meant.has(instancePath));
  return told.slice(0, 20).map((error) => ({
    in: part,
    pointer: pointerOf(error),
    detail: detailOf(error),
  }));
}

function isOfFormat({ keyword, params }: ErrorObject): boolean {
  return keyword === 'format' && formats.has(params.format);
}

function detailOf(error: ErrorObject): string {
  if (error.keyword === 'enum') return `must be one of ${list(error)}`;
  const meaning = isOfFormat(error) ? formats.get(error.params.format) : undefined;
  return meaning ? `must be ${meaning}` : (error.message ?? 'is invalid');
}

/** The very field: a missing or unknown property is named itself, not the object around it. */
function pointerOf(error: ErrorObject): string {
  const name = error.params.missingProperty ?? error.params.additionalProperty;
  if (name === undefined) return error.instancePath;
  return `${error.instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function list(error: ErrorObject): string {
  return (error.params.allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ');
}

const serializers = new WeakMap<TSchema, (value: unknown) => string>();

/**
 * Writes an answer as JSON by its declared schema: a property that is not declared does not leave,
 * and one that is required and missing throws.
 */
export function serialize(schema: TSchema, value: unknown): string {
  let write = serializers.get(schema);
  if (!write) {
    const known = Object.fromEntries(definedFormats().map((name) => [name, true as const]));
    const options = { ajv: { formats: known } };
    write = fastJsonStringify(forWriting(transformSchema(schema)) as never, options) as (value: unknown) => string;
    serializers.set(schema, write);
  }
  return write(value);
}

/**
 * A schema in the writer's words: it drops what a schema does not declare only where the schema does not refuse it,
 * tells null from an object fastest by `nullable`, and knows no formats of this API.
 */
function forWriting(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forWriting);
  if (schema === null || typeof schema !== 'object') return schema;
  const { anyOf, additionalProperties, ...rest } = schema as {
    anyOf?: { type?: string }[];
    additionalProperties?: unknown;
  };
  const other = anyOf?.length === 2 && anyOf[1]?.type === 'null' ? anyOf[0] : undefined;
  if (other) return { ...(forWriting(other) as object), nullable: true };
  const isOwnFormat = ([key, child]: [string, unknown]) => key === 'format' && formats.has(child as string);
  const children = Object.entries(rest)
    .filter((entry) => !isOwnFormat(entry))
    .map(([key, child]) => [key, key === 'enum' ? child : forWriting(child)]);
  return {
    ...Object.fromEntries(children),
    ...(anyOf && { anyOf: forWriting(anyOf) }),
    ...(additionalProperties ? { additionalProperties: forWriting(additionalProperties) } : {}),
  };
}
