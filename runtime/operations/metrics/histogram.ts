/**
 * A histogram as Prometheus defines it.
 */
import type { Sample } from './family.ts';

export class Histogram {
  readonly #bounds: readonly number[];
  /** Number of values between each bound and the one before it; the last is for values above all bounds. */
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds upper bounds in ascending order */
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
    let cumulative = 0;
    const buckets = this.#counts.map((count, index) => {
      cumulative += count;
      return { suffix: '_bucket', value: cumulative, labels: { ...labels, le: String(this.#bounds[index] ?? '+Inf') } };
    });
    return [...buckets, { suffix: '_sum', value: this.#sum, labels }, { suffix: '_count', value: cumulative, labels }];
  }
}
