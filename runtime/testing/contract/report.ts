/**
 * What the suite found: one line for each broken promise of a route, and what was walked.
 */
import type { RouteDeclaration } from '../../http/route.ts';

export interface ContractResult {
  /** Repeats the run: `CONTRACT_SEED=<seed>`. */
  seed: number;
  /** Routes that are mounted, each of which was walked. */
  routes: number;
  /** Requests sent. */
  cases: number;
  /** Requests sent for each kind of promise. */
  casesBy: Record<string, number>;
  /** Operations that succeeded at least once. */
  succeeded: string[];
  /** Operations that never did: their handlers were reached by refused requests at most. */
  neverSucceeded: string[];
  /** What could not be held against the promise, for want of a fitting caller or id. */
  unproven: string[];
  /** `POST /cart/items: an unknown field must be 400 at /foo, was 201` */
  failures: string[];
}

type Named = Pick<RouteDeclaration, 'method' | 'path' | 'operationId'>;

/** A route as a failure names it. */
export function nameOf({ method, path }: Pick<RouteDeclaration, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}

export class Report {
  readonly seed: number;
  readonly #succeeded = new Set<string>();
  readonly #refusals = new Map<string, string>();
  readonly #unproven = new Set<string>();
  readonly #failures = new Map<string, { line: string; times: number }>();
  readonly #cases = new Map<string, number>();

  constructor(seed: number) {
    this.seed = seed;
  }

  /** Counts a request. */
  count(kind: string): void {
    this.#cases.set(kind, (this.#cases.get(kind) ?? 0) + 1);
  }

  success(route: Named): void {
    this.#succeeded.add(route.operationId);
  }

  /** The last answer to a valid request that was no success. */
  refusal(route: Named, answer: string): void {
    this.#refusals.set(route.operationId, answer);
  }

  hasSucceeded(route: Named): boolean {
    return this.#succeeded.has(route.operationId);
  }

  /** A promise that could not be tried on a route, and why. */
  leaveUnproven(route: Named, reason: string): void {
    this.#unproven.add(`${nameOf(route)}: ${reason}`);
  }

  /** A route that broke a promise: the first time in full, then counted. */
  fail(route: Named | string, promise: string, was: string): void {
    const name = typeof route === 'string' ? route : nameOf(route);
    const key = `${name} ${promise}`;
    const known = this.#failures.get(key);
    if (known) known.times += 1;
    else this.#failures.set(key, { line: `${name}: ${promise}, was ${was}`, times: 1 });
  }

  result(routes: readonly Named[]): ContractResult {
    const failures = [...this.#failures.values()].map(({ line, times }) =>
      times > 1 ? `${line} (and ${times - 1} times more)` : line,
    );
    return {
      seed: this.seed,
      routes: routes.length,
      cases: [...this.#cases.values()].reduce((sum, count) => sum + count, 0),
      casesBy: Object.fromEntries(this.#cases),
      succeeded: routes.filter((route) => this.hasSucceeded(route)).map(nameOf),
      neverSucceeded: routes
        .filter((route) => !this.hasSucceeded(route))
        .map((route) => `${nameOf(route)} (${this.#refusals.get(route.operationId) ?? 'never asked'})`),
      unproven: [...this.#unproven].sort(),
      failures: failures.sort(),
    };
  }
}

/** The counts of a run, for people. */
export function summaryOf(result: ContractResult): string[] {
  const { seed, routes, cases, casesBy, succeeded, neverSucceeded, unproven, failures } = result;
  return [
    `${routes} routes walked in ${cases} requests, ${failures.length} promises broken; CONTRACT_SEED=${seed} repeats it`,
    `requests: ${Object.entries(casesBy)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}`,
    `${succeeded.length} of ${routes} operations succeeded at least once`,
    ...(neverSucceeded.length > 0 ? [`never succeeded: ${neverSucceeded.join(', ')}`] : []),
    ...unproven.map((line) => `unproven: ${line}`),
  ];
}
