/**
 * The result of the suite: one line for each requirement that a route does not meet, and counts.
 */
import type { RouteDeclaration } from '../../http/route.ts';

export interface ContractResult {
  /** Repeats the run: `CONTRACT_SEED=<seed>`. */
  seed: number;
  /** Number of mounted routes, all of which were called. */
  routes: number;
  /** Requests sent. */
  cases: number;
  /** Requests sent by category. */
  casesBy: Record<string, number>;
  /** Operations that succeeded at least once. */
  succeeded: string[];
  /** Operations that never succeeded. */
  neverSucceeded: string[];
  /** Checks that were not possible without a suitable caller or id. */
  untested: string[];
  /** `POST /cart/items: an unknown field must be 400 at /foo, was 201` */
  failures: string[];
  /** The same in parts: what must hold, and what was the case the first time that it did not. */
  broken: { requirement: string; actual: string }[];
}

type Named = Pick<RouteDeclaration, 'method' | 'path' | 'operationId'>;

/** The name of a route in a failure. */
export function nameOf({ method, path }: Pick<RouteDeclaration, 'method' | 'path'>): string {
  return `${method.toUpperCase()} ${path}`;
}

export class Report {
  readonly seed: number;
  readonly #succeeded = new Set<string>();
  readonly #refusals = new Map<string, string>();
  readonly #untested = new Set<string>();
  readonly #failures = new Map<string, { requirement: string; actual: string; times: number }>();
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

  /** Records the last refusal of a valid request. */
  refusal(route: Named, answer: string): void {
    this.#refusals.set(route.operationId, answer);
  }

  hasSucceeded(route: Named): boolean {
    return this.#succeeded.has(route.operationId);
  }

  /** Records a check that was not possible for a route, and the reason. */
  reportUntested(route: Named, reason: string): void {
    this.#untested.add(`${nameOf(route)}: ${reason}`);
  }

  /** Records a failure: the first one of its kind in full, others are counted. */
  fail(route: Named | string, requirement: string, actual: string): void {
    const name = typeof route === 'string' ? route : nameOf(route);
    const required = `${name}: ${requirement}`;
    const known = this.#failures.get(required);
    if (known) known.times += 1;
    else this.#failures.set(required, { requirement: required, actual, times: 1 });
  }

  result(routes: readonly Named[]): ContractResult {
    const broken = [...this.#failures.values()];
    const failures = broken.map(({ requirement, actual, times }) => {
      const line = `${requirement}, was ${actual}`;
      return times > 1 ? `${line} (and ${times - 1} times more)` : line;
    });
    return {
      seed: this.seed,
      routes: routes.length,
      cases: [...this.#cases.values()].reduce((sum, count) => sum + count, 0),
      casesBy: Object.fromEntries(this.#cases),
      succeeded: routes.filter((route) => this.hasSucceeded(route)).map(nameOf),
      neverSucceeded: routes
        .filter((route) => !this.hasSucceeded(route))
        .map((route) => `${nameOf(route)} (${this.#refusals.get(route.operationId) ?? 'never called'})`),
      untested: [...this.#untested].sort(),
      failures: failures.sort(),
      broken: broken.map(({ requirement, actual }) => ({ requirement, actual })),
    };
  }
}

/** The counts of a run as text. */
export function summaryOf(result: ContractResult): string[] {
  const { seed, routes, cases, casesBy, succeeded, neverSucceeded, untested, failures } = result;
  return [
    `${routes} routes called in ${cases} requests, ${failures.length} failures; CONTRACT_SEED=${seed} repeats the run`,
    `requests: ${Object.entries(casesBy)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(', ')}`,
    `${succeeded.length} of ${routes} operations succeeded at least once`,
    ...(neverSucceeded.length > 0 ? [`never succeeded: ${neverSucceeded.join(', ')}`] : []),
    ...untested.map((line) => `not tested: ${line}`),
  ];
}
