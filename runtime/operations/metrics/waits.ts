/**
 * Metrics of requests that wait since those of their store cost a lot (http/fair-share.ts). The store is no label: a box may
 * have thousands.
 */
import type { WaitObserver, WaitOutcome } from '../../http/fair-share.ts';
import { LabelledCounter } from './counter.ts';
import { family, type MetricFamily, single } from './family.ts';
import { Histogram } from './histogram.ts';

/** In seconds. */
const waitBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export class WaitCounts implements WaitObserver {
  readonly #durations = new Histogram(waitBounds);
  readonly #outcomes = new LabelledCounter({
    name: 'http_request_waits_total',
    help: 'Requests that had to wait since those of their store cost a lot, by outcome: `begun`, `closed` (the client closed the connection before) and `refused` (503, since too many waited)',
    labels: ['outcome'],
  });
  #waiting = 0;

  waits(): void {
    this.#waiting += 1;
  }

  waited(outcome: WaitOutcome, milliseconds: number): void {
    this.#waiting -= 1;
    this.#outcomes.add({ outcome });
    if (outcome === 'begun') this.#durations.add(milliseconds / 1000);
  }

  refused(): void {
    this.#outcomes.add({ outcome: 'refused' });
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'http_requests_waiting',
      type: 'gauge',
      help: 'Requests that wait since those of their store cost a lot',
      read: single(() => this.#waiting),
    }),
    family({
      name: 'http_request_wait_seconds',
      type: 'histogram',
      help: 'Time that such requests have waited before they began',
      read: () => this.#durations.samples(),
    }),
    this.#outcomes.family,
  ];
}
