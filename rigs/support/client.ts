/**
 * Sends one request and records the outcome: a response, or a lost connection. Some responses are never allowed, whatever
 * happens to the box; they are recorded as broken promises.
 */

export interface ClientRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

export interface ClientResponse {
  status: number;
  /** Seconds. */
  retryAfter: number | null;
  /** The shopper's session, if the response has one. */
  session: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many schemas.
  body: any;
}

/** The connection was refused, or closed before the response arrived. */
export interface LostConnection {
  status: null;
  reason: string;
}

export type Outcome = ClientResponse | LostConnection;

/** Outcomes of the requests of all clients. */
export interface Tally {
  requests: number;
  /** Refused connections. */
  refused: number;
  /** Connections closed before the response arrived, by error message. */
  lost: Map<string, number>;
  /** Responses by status. */
  statuses: Map<number, number>;
  /** Milliseconds of the longest request. */
  longest: number;
  /** Descriptions of responses that are never allowed. */
  broken: Set<string>;
}

export const newTally = (): Tally => ({
  requests: 0,
  refused: 0,
  lost: new Map(),
  statuses: new Map(),
  longest: 0,
  broken: new Set(),
});

/** Adds one to a count by name. */
const count = <Name>(counts: Map<Name, number>, name: Name) => counts.set(name, (counts.get(name) ?? 0) + 1);

export const sum = (counts: Map<unknown, number>) => [...counts.values()].reduce((all, one) => all + one, 0);

/** What clients see as a failure, including requests to retry, by status or reason. */
export function failuresOf({ refused, lost, statuses }: Tally): Map<string | number, number> {
  const failures = [...statuses].filter(([status]) => status >= 500 || status === 429);
  return new Map<string | number, number>([
    ...(refused > 0 ? [['refused', refused] as const] : []),
    ...lost,
    ...failures,
  ]);
}

/** Milliseconds that a box may take (REQUEST_DEADLINE), and a margin for a busy machine. */
const deadline = 30_000;
const margin = 10_000;

/** Sends one request and adds the outcome to the tally. */
export async function sendRequest(
  url: string,
  { method, path, headers, body }: ClientRequest,
  tally: Tally,
): Promise<Outcome> {
  const started = performance.now();
  tally.requests++;
  const operation = `${method} ${path}`;
  try {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(deadline + margin),
    });
    const text = await response.text();
    const { status } = response;
    count(tally.statuses, status);
    const retryAfter = response.headers.get('retry-after');
    if (status >= 500 && status !== 503) tally.broken.add(`${operation} returned ${status}: ${text.slice(0, 300)}`);
    if (status === 503 && retryAfter === null)
      tally.broken.add(`${operation} returned 503 without Retry-After: ${text}`);
    return {
      status,
      retryAfter: retryAfter === null ? null : Number(retryAfter),
      session: response.headers.get('x-session-id'),
      body: text ? JSON.parse(text) : null,
    };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (name === 'TimeoutError') tally.broken.add(`${operation} exceeded its deadline`);
    const reason = cause?.message ?? message;
    if (cause?.code === 'ECONNREFUSED') tally.refused++;
    else count(tally.lost, `${operation}: ${reason}`);
    return { status: null, reason };
  } finally {
    tally.longest = Math.max(tally.longest, performance.now() - started);
  }
}
