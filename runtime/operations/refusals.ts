/**
 * The metric of values that the schemas of responses refuse.
 */
import type { Refusal } from '../http/repair.ts';
import { family, type MetricFamily } from './metrics/family.ts';

export class RefusalCounts {
  /** By operation, then by outcome. */
  readonly #counts = new Map<string, Map<string, number>>();

  count(operation: string, refusals: readonly Refusal[]): void {
    const counts = this.#counts.get(operation) ?? new Map<string, number>();
    this.#counts.set(operation, counts);
    for (const { outcome } of refusals) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'response_values_refused_total',
      type: 'counter',
      help: 'Values that the schema of a response refuses, by operation and outcome: `null` and `omitted` (the value became null or was left out), `row_omitted` (the row was left out of its list), `failed` (the request was 500)',
      labels: ['operation', 'outcome'],
      read: () =>
        [...this.#counts].flatMap(([operation, counts]) =>
          [...counts].map(([outcome, value]) => ({ value, labels: { operation, outcome } })),
        ),
    }),
  ];
}
