/**
 * Whether a value matches a schema, for the many small schemas of single fields.
 */
import type { TSchema } from '../../http/schemas.ts';
import { matches } from '../../http/validation.ts';

const firsts = new Map<string, TSchema>();
const known = new WeakMap<TSchema, TSchema>();

/** Compiles one of all schemas with the same text: most fields have the schema of a field of another object. */
export function accepts(schema: TSchema, value: unknown): boolean {
  let first = known.get(schema);
  if (!first) {
    const text = JSON.stringify(schema);
    first = firsts.get(text) ?? schema;
    firsts.set(text, first);
    known.set(schema, first);
  }
  return matches(first, value);
}
