/**
 * Array patterns for tap's `t.match`, which by itself matches every array that begins with the items of the pattern:
 * `[]` matches all arrays.
 */

/**
 * A pattern for `t.match` that matches an array of the same length whose items match, and likewise for nested arrays.
 * Objects may have further properties, as in any pattern.
 * @example t.match(answer.body, { items: exactly([{ id, state: 'pending' }]), nextCursor: null });
 */
export function exactly<T extends readonly unknown[]>(items: T): T {
  return patternOf(items) as T;
}

/** An array as an object with its items and length, which `t.match` compares property by property. */
function patternOf(value: unknown): unknown {
  if (Array.isArray(value)) return { ...value.map(patternOf), length: value.length };
  const isPlain = value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, patternOf(field)]));
}
