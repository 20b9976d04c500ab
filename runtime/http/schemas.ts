/**
 * Declaring shapes: TypeBox with this API's conventions, and the two forms a schema is used in.
 * A schema with an `$id` becomes a named component of the document.
 */
import { type ObjectOptions, type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';

export { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';

/** An object that refuses what it does not declare. Give `$id` to name it in the document. */
export function object<T extends TProperties>(properties: T, options: ObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A change of a resource: any of these properties, at least one. Give `$id` to name it in the document. */
export function changeOf<T extends TProperties>(properties: T, options: ObjectOptions = {}) {
  return Type.Partial(Type.Object(properties), { additionalProperties: false, minProperties: 1, ...options });
}

/** The value or null. Kept as a `type` array where the schema has a plain type: it reads and runs better than `anyOf`. */
export function nullable<T extends TSchema>(schema: T) {
  if (typeof schema.type === 'string' && schema.$id === undefined) {
    const { enum: values, ...rest } = schema as TSchema & { enum?: unknown[] };
    const withNull = { ...rest, type: [schema.type, 'null'], ...(values && { enum: [...values, null] }) };
    return Type.Unsafe<Static<T> | null>(withNull);
  }
  return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
}

/** One of these strings. */
export function oneOf<const T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** Of 36 characters: the format alone would let `urn:uuid:` stand before them, which PostgreSQL refuses. */
export const Uuid = Type.String({
  format: 'uuid',
  maxLength: 36,
  examples: ['0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001'],
});
export const DateTime = Type.String({ format: 'date-time', examples: ['2026-03-01T12:00:00.000Z'] });
export const Email = Type.String({ format: 'email', maxLength: 254, examples: ['ada@example.com'] });
/** When something was made and last changed. */
export const timestamps = { createdAt: DateTime, updatedAt: DateTime };
/** As the `body` of a route: the bytes as they were sent, whatever they are, for a signature to be checked over. */
export const RawBody = Type.Unsafe<Uint8Array>({
  description: 'As the sender signed it',
  examples: ['{"id":"event_1"}'],
});
/** Free data of the caller's own, kept as it is. */
export const Metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: 'Data of your own, replaced as a whole; as JSON of 16 KiB at most',
  additionalProperties: true,
  maxProperties: 50,
  'x-maxBytes': 16_384,
});

/** A copy in which `$id` stands nowhere, for compilers that would resolve it. `replace` may put something in a named schema's place. */
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
