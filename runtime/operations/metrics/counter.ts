/**
 * A counter with labels. A series begins with its first count, so code decides how many there are.
 */
import { family, type MetricFamily } from './family.ts';

export class LabelledCounter<Label extends string> {
  readonly #series = new Map<string, { labels: Record<Label, string>; value: number }>();
  readonly family: MetricFamily;

  constructor(definition: { name: string; help: string; labels: readonly Label[] }) {
    this.family = family({ ...definition, type: 'counter', read: () => [...this.#series.values()] });
  }

  add(labels: Record<Label, string>): void {
    const key = this.family.labels.map((label) => labels[label as Label]).join('\0');
    const series = this.#series.get(key);
    if (series) series.value += 1;
    else this.#series.set(key, { labels, value: 1 });
  }
}
