/**
 * Figures counted into buckets, as Prometheus has them.
 */
import type { Sample } from './family.ts';

export class Histogram {
  readonly #bounds: readonly number[];
  /** How many fell between each bound and the one before it; the last is for what is above all. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds, the lowest first */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds.map(() => 0), 0];
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    (this.#counts[bucket] as number)++;
    this.#sum += value;
  }

  samples(labels: Record<string, string> = {}): Sample[] {
    let upTo = 0;
    const buckets = this.#counts.map((count, index) => {
      upTo += count;
      return { suffix: '_bucket', value: upTo, labels: { ...labels, le: String(this.#bounds[index] ?? '+Inf') } };
    });
    return [...buckets, { suffix: '_sum', value: this.#sum, labels }, { suffix: '_count', value: upTo, labels }];
  }
}
