/**
 * Metrics and traces of the background work: attempts to deliver events, runs of jobs, and sweeps over all tenants.
 */
import { withCurrentWork } from './current-work.ts';
import { LabelledCounter } from './metrics/counter.ts';
import { family, type MetricFamily, single } from './metrics/family.ts';
import { Histogram } from './metrics/histogram.ts';
import type { BackgroundTask } from './task.ts';
import type { Tracer } from './tracing/tracer.ts';

/** In seconds: most events are delivered immediately, and at the last attempt an event is two days old. */
const lagBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 21_600];

/** The result of one round of dispatch. */
interface FanOutResult {
  events: number;
  /** Age of the oldest of them, in seconds. */
  oldest: number;
}

/** A finished attempt to deliver an event. */
interface DeliveryAttempt {
  subscriber: string;
  outcome: string;
  /** Seconds since the event was written. */
  age: number;
}

/** Receives what the worker does. */
export class BackgroundObserver {
  readonly #tracer: Tracer | null;
  readonly #dispatchLag = new Histogram(lagBounds);
  readonly #deliveryLag = new Map<string, Histogram>();
  readonly #attempts = new LabelledCounter({
    name: 'event_delivery_attempts_total',
    help: 'Attempts of this box to deliver an event, by subscriber and outcome: `delivered`, `failed` (will be retried), `dead` (was the last attempt: an operator must act)',
    labels: ['subscriber', 'outcome'],
  });
  readonly #jobs = new LabelledCounter({
    name: 'job_runs_total',
    help: 'Runs of jobs by this box, by job and outcome: `done` or `failed`',
    labels: ['job', 'outcome'],
  });
  #dispatched = 0;
  #sweeps = 0;
  #sweepSeconds = 0;
  #lastSweep = 0;
  #tenants = 0;

  constructor(tracer: Tracer | null) {
    this.#tracer = tracer;
  }

  async around<T>(task: BackgroundTask, run: () => Promise<T>): Promise<T> {
    const { deliveryId } = task.delivery ?? {};
    const trace = this.#tracer?.beginWork(task);
    try {
      const result = await withCurrentWork({ deliveryId, trace }, run);
      if (trace) this.#tracer?.endWork(trace);
      return result;
    } catch (error) {
      if (trace) this.#tracer?.endWork(trace, error);
      throw error;
    }
  }

  fannedOut({ events, oldest }: FanOutResult): void {
    this.#dispatched += events;
    this.#dispatchLag.add(oldest);
  }

  attempted({ subscriber, outcome, age }: DeliveryAttempt): void {
    this.#attempts.add({ subscriber, outcome });
    if (outcome !== 'delivered') return;
    const lag = this.#deliveryLag.get(subscriber) ?? new Histogram(lagBounds);
    this.#deliveryLag.set(subscriber, lag);
    lag.add(age);
  }

  jobEnded(name: string, failed: boolean): void {
    this.#jobs.add({ job: name, outcome: failed ? 'failed' : 'done' });
  }

  swept(tenants: number, milliseconds: number): void {
    this.#sweeps += 1;
    this.#sweepSeconds += milliseconds / 1000;
    this.#lastSweep = Date.now() / 1000;
    this.#tenants = tenants;
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'events_dispatched_total',
      type: 'counter',
      help: 'Events dispatched by this box',
      read: single(() => this.#dispatched),
    }),
    family({
      name: 'event_dispatch_lag_seconds',
      type: 'histogram',
      help: 'Age of the oldest event of each round of dispatch',
      read: () => this.#dispatchLag.samples(),
    }),
    this.#attempts.family,
    family({
      name: 'event_delivery_lag_seconds',
      type: 'histogram',
      help: 'Age of events when they were delivered, by subscriber, including retries',
      labels: ['subscriber'],
      read: () => [...this.#deliveryLag].flatMap(([subscriber, lag]) => lag.samples({ subscriber })),
    }),
    this.#jobs.family,
    family({
      name: 'background_sweeps_total',
      type: 'counter',
      help: 'Sweeps of this box over all tenants, which find events whose notification was lost',
      read: single(() => this.#sweeps),
    }),
    family({
      name: 'background_sweep_seconds_total',
      type: 'counter',
      help: 'Time that the sweeps took',
      read: single(() => this.#sweepSeconds),
    }),
    family({
      name: 'background_last_sweep_timestamp_seconds',
      type: 'gauge',
      help: 'Time at which the last sweep ended (Unix time); 0 before the first',
      ofAll: 'max',
      read: single(() => this.#lastSweep),
    }),
    family({
      name: 'tenants',
      type: 'gauge',
      help: 'Tenants that the last sweep visited',
      ofAll: 'max',
      read: single(() => this.#tenants),
    }),
  ];
}
