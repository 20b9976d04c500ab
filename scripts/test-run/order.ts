/**
 * The order in which test files run: random, so that no file depends on another that runs before it.
 */

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same numbers. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random order of a list. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = randomNumbers(seed);
  return list
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
