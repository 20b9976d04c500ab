/**
 * Schemas: TypeBox with the conventions of this API. A schema with an `$id` becomes a named component of the document.
 */
import {
  type ObjectOptions,
  type SchemaOptions,
  type Static,
  type StringOptions,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox';

export { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** An object without additional properties. `$id` names it in the document. */
export function object<T extends TProperties>(properties: T, options: ObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The body of a change: at least one of these properties. `$id` names it in the document. */
export function changeOf<T extends TProperties>(properties: T, options: ObjectOptions = {}) {
  return Type.Partial(Type.Object(properties), { additionalProperties: false, minProperties: 1, ...options });
}

/** The value or null: as a `type` array where possible, which is shorter and faster than `anyOf`. */
export function nullable<T extends TSchema>(schema: T) {
  if (typeof schema.type === 'string' && schema.$id === undefined) {
    const { enum: values, ...rest } = schema as TSchema & { enum?: unknown[] };
    const withNull = { ...rest, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) };
    return Type.Unsafe<Static<T> | null>(withNull);
  }
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

/**
 * A schema with other options, its description above all. Unlike a spread it keeps the schema's type as it is, which a
 * package's published declarations can then name.
 */
export function withOptions<T extends TSchema>(schema: T, options: SchemaOptions): T {
  return { ...schema, ...options };
}

/** One of these strings. */
export function oneOf<const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/**
 * The texts of a schema have one line, and are stored as `writtenLine` returns them; blank ones are refused. In requests
 * only.
 * @param empty `or-empty` for texts that may be empty, as blank ones are then
 */
export function trimmed<T extends TSchema>(schema: T, empty?: 'or-empty'): T {
  return { ...schema, 'x-trimmed': empty ?? true };
}

/** A name, a title or a label that people write and read: one line, not blank, without spaces around it. */
export function humanText(maxLength: number, options: StringOptions = {}) {
  return trimmed(Type.String({ minLength: 1, maxLength, ...options }));
}

/** A text that may have several lines, such as a note; not blank, without spaces around it. */
export function humanLines(maxLength: number, options: StringOptions = {}) {
  return Type.String({ minLength: 1, maxLength, 'x-trimmed': 'lines', ...options });
}

/** At most 36 characters, since the format alone allows the prefix `urn:uuid:`, which PostgreSQL rejects. */
export const Uuid = Type.String({
  format: 'uuid',
  maxLength: 36,
  examples: ['0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'],
});
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] });
export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] });
/** Of a request that names an address which may be stored, such as a log-in: also one that is no longer taken. */
export const KnownEmail: typeof Email = { ...Email, 'x-converted': 'known-email' };
/** Times of creation and of the last change. */
export const timestamps = { createdAt: DateTime, updatedAt: DateTime };
/** As the `body` of a route: the bytes exactly as sent, of any media type, to verify a signature. */
export const RawBody = Type.Unsafe<Uint8Array>({
  description: 'The body exactly as the sender signed it',
  examples: ['{"id":"event_1"}'],
});
/** Custom data of the caller, stored unchanged. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Custom data, always replaced as a whole; at most 16 KiB as JSON',
  additionalProperties: true,
  maxProperties: 50,
  'x-maxBytes': 16_384,
});

/** Returns a copy without any `$id`, for compilers that would resolve it. `replace` may substitute named schemas. */
export function transformSchema(schema: TSchema, replace?: (named: TSchema) => unknown): Record<string, unknown> {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (value === null || typeof value !== 'object') return value;
    if (replace && typeof (value as TSchema).$id === 'string') return replace(value as TSchema);
    return visitChildren(value as Record<string, unknown>);
  };
  const visitChildren = (value: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== '$id')
        .map(([key, child]) => [key, key === 'examples' || key === 'default' ? child : visit(child)]),
    );
  return visitChildren(schema as Record<string, unknown>);
}
