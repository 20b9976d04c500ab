/**
 * How often a caller may ask: a limit for each class of routes, counted by the generic cell rate algorithm (ITU-T
 * I.371): each request moves the caller's clock on by its share of a minute, and a clock more than a minute ahead is
 * refused. One number a caller is kept, in memory: each replica of a service counts for itself.
 */
import { isIPv6 } from 'node:net';
import type { Context } from 'koa';
import { tooManyRequests } from './problems.ts';

/** `login`: writes without a credential, and wrong credentials. */
export const rateClasses = ['read', 'write', 'login', 'checkout'] as const;
export type RateClass = (typeof rateClasses)[number];

/** Requests a minute for one caller; 0 for no limit. A caller at rest may send a minute's worth at once. */
export type RateLimits = Readonly<Record<RateClass, number>>;

export const noRateLimits: RateLimits = { read: 0, write: 0, login: 0, checkout: 0 };

const minute = 60_000;

/** As much of a route's declaration as its class turns on. */
interface Classified {
  rateLimit?: RateClass | false;
  method: string;
  access: string | readonly string[];
}

/** The class of a route: what it declares, else by its method and whether it asks for a credential. */
export function rateClassOf({ rateLimit, method, access }: Classified): RateClass | false {
  if (rateLimit !== undefined) return rateLimit;
  if (method === 'get') return 'read';
  return access === 'public' ? 'login' : 'write';
}

/** Where a caller stands after a request. */
export interface Standing {
  allowed: boolean;
  /** Requests that would be served now. */
  remaining: number;
  /** Milliseconds until the whole limit is there again. */
  restoredIn: number;
  /** Milliseconds until the next request would be served. */
  retryIn: number;
}

export class RateLimiter {
  readonly limits: RateLimits;
  readonly #clock: () => number;
  readonly #largest: number;
  /** When each caller's clock is even again. Two generations: the older is dropped whole, so memory stays bounded. */
  #recent = new Map<string, number>();
  #older = new Map<string, number>();

  /**
   * @param largest callers kept at most. Past it the ones not seen for longest are forgotten, which forgives them:
   * whoever has that many addresses gets nothing by it that they would not have by having them.
   */
  constructor(limits: RateLimits, { largest = 100_000, clock = () => performance.now() } = {}) {
    this.limits = limits;
    this.#largest = largest;
    this.#clock = clock;
  }

  /** How many callers are kept. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Counts a request and answers where the caller stands; null when the class has no limit. A refused one is free. */
  take(rateClass: RateClass, caller: string): Standing | null {
    const standing = this.look(rateClass, caller, 1);
    if (standing?.allowed) this.#keep(`${rateClass} ${caller}`, this.#clock() + standing.restoredIn);
    return standing;
  }

  /** Where the caller would stand after so many more requests. */
  look(rateClass: RateClass, caller: string, requests: number): Standing | null {
    const limit = this.limits[rateClass];
    if (limit === 0) return null;
    const key = `${rateClass} ${caller}`;
    const share = minute / limit;
    const now = this.#clock();
    const ahead = Math.max(0, (this.#recent.get(key) ?? this.#older.get(key) ?? now) - now);
    const next = ahead + requests * share;
    const allowed = next <= minute + 0.001;
    const restoredIn = allowed ? next : ahead;
    const remaining = Math.max(0, Math.floor((minute - restoredIn) / share + 0.001));
    return { allowed, remaining, restoredIn, retryIn: Math.max(0, ahead + share - minute) };
  }

  #keep(key: string, time: number): void {
    if (this.#recent.size >= this.#largest / 2 && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, time);
  }
}

/** An address as it is counted: of IPv6 the network (/64), which one subscriber has whole (RFC 6177). */
export function addressBlock(given: string): string {
  // An IPv4 address as a socket that listens for both gives it (RFC 4291, section 2.5.5.2).
  const address = given.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(address)) return address;
  const [before = '', after] = address.replace(/%.*$/, '').split('::');
  const groups = before === '' ? [] : before.split(':');
  if (after !== undefined) {
    const rest = after === '' ? [] : after.split(':');
    while (groups.length + rest.length < 8) groups.push('0');
    groups.push(...rest);
  }
  const network = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(':')}::/64`;
}

/** Counts a request and says so in the answer. @throws too_many_requests (429) */
export function countRequest(ctx: Context, limiter: RateLimiter, rateClass: RateClass, caller: string): void {
  const standing = limiter.take(rateClass, caller);
  if (standing) announce(ctx, limiter, rateClass, standing);
}

/** The headers of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. */
function announce(ctx: Context, limiter: RateLimiter, rateClass: RateClass, standing: Standing): void {
  const { allowed, remaining, restoredIn, retryIn } = standing;
  ctx.res.setHeader('RateLimit-Policy', `"${rateClass}";q=${limiter.limits[rateClass]};w=${minute / 1000}`);
  ctx.res.setHeader('RateLimit', `"${rateClass}";r=${remaining};t=${Math.ceil(restoredIn / 1000)}`);
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(retryIn / 1000));
  throw tooManyRequests(`Ask again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
}
