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
  lost: number;
  /** Answers by status. */
  statuses: Map<number, number>;
  /** Milliseconds of the request that took longest. */
  longest: number;
  /** Answers that may never be, in words. */
  broken: Set<string>;
}

export const newTally = (): Tally => ({ requests: 0, lost: 0, statuses: new Map(), longest: 0, broken: new Set() });

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
    tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
    const retryAfter = response.headers.get('retry-after');
    if (status >= 500 && status !== 503) tally.broken.add(`${place} answered ${status}: ${text.slice(0, 300)}`);
    if (status === 503 && retryAfter === null) tally.broken.add(`${place} answered 503 without Retry-After: ${text}`);
    return {
      status,
      retryAfter: retryAfter === null ? null : Number(retryAfter),
      body: text ? JSON.parse(text) : null,
    };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error };
    if (name === 'TimeoutError') tally.broken.add(`${place} hung past its deadline`);
    tally.lost++;
    return { status: null, reason: cause?.message ?? message };
  } finally {
    tally.longest = Math.max(tally.longest, performance.now() - begun);
  }
}
