/**
 * Metrics of requests: counts by operation, method and status, and a histogram of durations by operation. Paths are not
 * labels, so requests cannot create further series.
 */
import { family, type MetricFamily, type Sample, single } from './family.ts';
import { Histogram } from './histogram.ts';

/** In seconds. */
const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The label of requests for no operation: pages, files, unknown paths. */
const noOperation = 'none';

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

interface Counted {
  /** Requests by method and status: `GET 200`. */
  byOutcome: Map<string, number>;
  durations: Histogram;
}

export class RequestCounts {
  readonly #counted = new Map<string, Counted>();
  inFlight = 0;

  /** Counts a finished request. */
  count(operationId: string | undefined, method: string, status: number, milliseconds: number): void {
    const operation = operationId ?? noOperation;
    let counted = this.#counted.get(operation);
    if (!counted) {
      counted = { byOutcome: new Map(), durations: new Histogram(durationBounds) };
      this.#counted.set(operation, counted);
    }
    const outcome = `${methods.has(method) ? method : 'other'} ${status}`;
    counted.byOutcome.set(outcome, (counted.byOutcome.get(outcome) ?? 0) + 1);
    counted.durations.add(milliseconds / 1000);
  }

  readonly families: readonly MetricFamily[] = [
    family({
      name: 'http_requests_total',
      type: 'counter',
      help: `Finished requests, by operationId of the document (\`${noOperation}\` for other paths), method and status`,
      labels: ['operation', 'method', 'status'],
      read: () => this.#outcomes(),
    }),
    family({
      name: 'http_request_duration_seconds',
      type: 'histogram',
      help: 'Time from the headers of a request to its response, by operation',
      labels: ['operation'],
      read: () => [...this.#counted].flatMap(([operation, { durations }]) => durations.samples({ operation })),
    }),
    family({
      name: 'http_requests_in_flight',
      type: 'gauge',
      help: 'Requests in progress',
      read: single(() => this.inFlight),
    }),
  ];

  #outcomes(): Sample[] {
    return [...this.#counted].flatMap(([operation, { byOutcome }]) =>
      [...byOutcome].map(([outcome, value]) => {
        const [method = '', status = ''] = outcome.split(' ');
        return { value, labels: { operation, method, status } };
      }),
    );
  }
}
