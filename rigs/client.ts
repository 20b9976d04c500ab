/**
 * One request as a client sees it: an answer, or a connection that was lost; and what every answer has to keep to,
 * whatever happens to the box meanwhile.
 */

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

export interface Answered {
  status: number;
  /** Seconds. */
  retryAfter: number | null;
  /** The shopper's session, where the answer names one. */
  session: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
  body: any;
}

/** The connection was refused, or broke before the answer was there. */
export interface Lost {
  status: null;
  reason: string;
}

export type Outcome = Answered | Lost;

/** What the requests of all clients came to. */
export interface Tally {
  requests: number;
  /** Nobody listened. */
  refused: number;
  /** The connection broke before the answer was there, by what was said of it. */
  lost: Map<string, number>;
  /** Answers by status. */
  statuses: Map<number, number>;
  /** Milliseconds of the request that took longest. */
  longest: number;
  /** Answers that may never be, in words. */
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

/** Milliseconds that a box takes at most (REQUEST_DEADLINE), and a margin for a machine that is busy. */
const deadline = 30_000;
const margin = 10_000;

/** Sends one request and enters it in the tally. */
export async function ask(url: string, { method, path, headers, body }: Asked, tally: Tally): Promise<Outcome> {
  const begun = performance.now();
  tally.requests++;
  const place = `${method} ${path}`;
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
    if (status >= 500 && status !== 503) tally.broken.add(`${place} answered ${status}: ${text.slice(0, 300)}`);
    if (status === 503 && retryAfter === null) tally.broken.add(`${place} answered 503 without Retry-After: ${text}`);
    return {
      status,
      retryAfter: retryAfter === null ? null : Number(retryAfter),
      session: response.headers.get('x-session-id'),
      body: text ? JSON.parse(text) : null,
    };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
    if (name === 'TimeoutError') tally.broken.add(`${place} hung past its deadline`);
    const reason = cause?.message ?? message;
    if (cause?.code === 'ECONNREFUSED') tally.refused++;
    else count(tally.lost, `${place}: ${reason}`);
    return { status: null, reason };
  } finally {
    tally.longest = Math.max(tally.longest, performance.now() - begun);
  }
}
