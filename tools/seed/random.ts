/**
 * Random values with a seed, so that the same options give the same store.
 */

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number from 0 up to 1 (Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T;
  }

  /** An index below `count`; low ones are much more frequent. */
  skewed(count: number): number {
    return Math.floor(count * this.next() ** 2);
  }

  /** A key of the object, as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      rest -= weight;
      if (rest < 0) return key;
    }
    return entries[0]?.[0] as Key;
  }

  /** A normally distributed number (Box–Muller). */
  normal(mean: number, deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.next());
  }

  /** Lower-case hexadecimal digits, up to eight. */
  hex(digits: number): string {
    return Math.floor(this.next() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  }

  /** A UUID of version 7 for something created at that time, in milliseconds. */
  id(at: number): string {
    const time = Math.floor(at).toString(16).padStart(12, '0');
    const variant = ((this.next() * 4) | 8).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${this.hex(3)}-${variant}${this.hex(3)}-${this.hex(6)}${this.hex(6)}`;
  }
}

/** A random time after another one, up to `to`; all in milliseconds. */
export function later(random: Random, than: number, to: number): number {
  return than + (to - than) * random.next();
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
