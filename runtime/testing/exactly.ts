/**
 * Lists in the patterns of tap's `t.match`, which by itself holds for every list that begins as the pattern does: `[]`
 * for any at all.
 */

/**
 * A pattern of `t.match` that holds for a list of as many items as it says, each of them a match of its own; lists
 * within them are held to the same. Fields of objects that are not named may be there, as in any pattern.
 * @example t.match(answer.body, { items: exactly([{ id, state: 'pending' }]), nextCursor: null });
 */
export function exactly<T extends readonly unknown[]>(items: T): T {
  return patternOf(items) as T;
}

/** A list as an object with its length: what `t.match` compares field by field, and whole. */
function patternOf(value: unknown): unknown {
  if (Array.isArray(value)) return { ...value.map(patternOf), length: value.length };
  const isPlain = value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, patternOf(field)]));
}
