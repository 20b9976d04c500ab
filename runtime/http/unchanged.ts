/**
 * Fields of a change that have the value which the resource has already. Earlier releases stored values that are refused
 * today, such as a blank title: who changes another field and sends them back, as forms do, changes nothing of them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from './problems.ts';
import type { TObject, TSchema } from './schemas.ts';

type Fields = Record<string, unknown>;

/** In the place of a body in which nothing is left to change. */
export const nothing = Symbol('nothing');

/**
 * Returns a body that is refused without its fields at fault, if all of these have the value that a read returns.
 * @param schema of the body: what it does not declare is refused whatever its value
 * @param fault what the validation has thrown; thrown again if the body is at fault
 * @param read returns the resource as its GET does
 * @param check validates what is left
 */
export async function withoutUnchanged({
  schema,
  body,
  fault,
  read,
  check,
}: {
  schema: TSchema;
  body: unknown;
  fault: unknown;
  read: () => Promise<unknown>;
  check: (rest: unknown) => unknown;
}): Promise<unknown> {
  const names = fieldsAtFault(fault);
  const { properties = {} } = schema as Partial<TObject>;
  if (!isObject(body) || !names.every((name) => Object.hasOwn(properties, name))) throw fault;
  // Where it cannot be read, the body is what is wrong.
  const present = names.length > 0 ? await read().catch(() => null) : null;
  if (!isObject(present) || !names.every((name) => isSame(present, body, name))) throw fault;
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
  if (Object.keys(rest).length === 0) return nothing;
  return check(rest);
}

function isSame(one: Fields, other: Fields, name: string): boolean {
  return Object.hasOwn(one, name) && Object.hasOwn(other, name) && isDeepStrictEqual(one[name], other[name]);
}

/** The names of the fields of a body that a validation refuses; none if it refuses the body as such. */
function fieldsAtFault(fault: unknown): string[] {
  const names = ((fault as Problem).errors ?? []).map(({ pointer }) => pointer.split('/')[1] ?? '');
  return names.includes('') ? [] : [...new Set(names)];
}

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
