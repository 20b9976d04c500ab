/**
 * The log and the metrics of calls to services outside of the box. A service is named by the code that calls it, so the
 * number of series is limited.
 */
import type { Logger } from 'pino';
import { LabelledCounter } from './metrics/counter.ts';
import type { MetricFamily } from './metrics/family.ts';

export class ServiceObserver {
  readonly #log: Logger;
  readonly #calls = new LabelledCounter({
    name: 'service_calls_total',
    help: 'Calls of this box to services outside of the box, after their retries, by service and outcome: `answered`, `refused` (the request), `rejected` (the credentials), `busy` (with too many requests at once), `unavailable`, `timeout`, `invalid` (a wrong answer), `circuit_open` (not called, because the last calls failed)',
    labels: ['service', 'outcome'],
  });

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts a call that has ended; logs one that failed. */
  called(service: string, outcome: string, error?: Error): void {
    this.#calls.add({ service, outcome });
    if (error) this.#log.warn({ service, outcome, reason: error.message }, 'a service has not answered');
  }

  readonly families: readonly MetricFamily[] = [this.#calls.family];
}
