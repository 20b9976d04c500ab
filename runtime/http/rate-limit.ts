/**
 * Rate limits: one for each class of routes, by the generic cell rate algorithm (ITU-T I.371). Each request advances the
 * caller's theoretical arrival time by its share of a minute; a request that would move it more than a minute ahead is
 * rejected. This takes one number per caller, in memory: each replica of a service counts separately, and the workers of
 * one together (runtime/workers/rate-counter.ts).
 */
import type { Context } from 'koa';
import { tooManyRequests } from './problems.ts';

/** `login`: writes without a credential, and invalid credentials. */
export const rateClasses = ['read', 'write', 'login', 'checkout'] as const;
export type RateClass = (typeof rateClasses)[number];

/** Requests per minute for one caller; 0 for no limit. An idle caller may send a minute's requests in one burst. */
export type RateLimits = Readonly<Record<RateClass, number>>;

export const noRateLimits: RateLimits = { read: 0, write: 0, login: 0, checkout: 0 };

const minute = 60_000;

/** The parts of a declaration that determine the rate class. */
interface RateClassInput {
  rateLimit?: RateClass | false;
  method: string;
  access: string | readonly string[];
}

/** The rate class of a route: the declared one, else by its method and whether it requires authentication. */
export function rateClassOf({ rateLimit, method, access }: RateClassInput): RateClass | false {
  if (rateLimit !== undefined) return rateLimit;
  if (method === 'get') return 'read';
  return access === 'public' ? 'login' : 'write';
}

/** The quota of a caller after a request. */
export interface Quota {
  allowed: boolean;
  /** Requests that would be allowed now. */
  remaining: number;
  /** Milliseconds until the quota is full again. */
  restoredIn: number;
  /** Milliseconds until the next request is allowed. */
  retryIn: number;
}

/** Counts requests, here or elsewhere. */
export interface RateCounter {
  readonly limits: RateLimits;
  /**
   * Counts a request and returns the quota; null when the class has no limit. A rejected request does not count.
   * @param once a name that counts only once for the caller: null when it has been counted
   */
  take(rateClass: RateClass, caller: string, once?: string): Quota | null | Promise<Quota | null>;
}

/** Names that count once, in each of two generations: dropping the older one bounds the memory. */
const maxOncePerGeneration = 10_000;

export class RateLimiter implements RateCounter {
  readonly limits: RateLimits;
  readonly #clock: () => number;
  readonly #maxCallers: number;
  /** The theoretical arrival time of each caller. Two generations: dropping the older one bounds the memory. */
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  #recentOnce = new Set<string>();
  #olderOnce = new Set<string>();

  /**
   * @param maxCallers callers tracked at most. Beyond it, those not seen for longest are dropped and start with a full
   * quota. An attacker with that many addresses has that many quotas anyway.
   */
  constructor(limits: RateLimits, { maxCallers = 100_000, clock = () => performance.now() } = {}) {
    this.limits = limits;
    this.#maxCallers = maxCallers;
    this.#clock = clock;
  }

  /** The number of tracked callers. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /** Counts a request, as `RateCounter` describes. */
  take(rateClass: RateClass, caller: string, once?: string): Quota | null {
    const name = once === undefined ? undefined : `${rateClass} ${caller} ${once}`;
    if (name !== undefined && (this.#recentOnce.has(name) || this.#olderOnce.has(name))) return null;
    const quota = this.peek(rateClass, caller, 1);
    if (!quota?.allowed) return quota;
    this.#store(`${rateClass} ${caller}`, this.#clock() + quota.restoredIn);
    if (name !== undefined) this.#storeOnce(name);
    return quota;
  }

  /** The quota that the caller would have after so many more requests. */
  peek(rateClass: RateClass, caller: string, requests: number): Quota | null {
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

  #store(key: string, time: number): void {
    if (this.#recent.size >= this.#maxCallers / 2 && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, time);
  }

  #storeOnce(name: string): void {
    if (this.#recentOnce.size >= maxOncePerGeneration) {
      this.#olderOnce = this.#recentOnce;
      this.#recentOnce = new Set();
    }
    this.#recentOnce.add(name);
  }
}

/**
 * Counts a request and sets the response headers; a promise only where another process counts.
 * @param once as for `RateCounter`
 * @throws too_many_requests (429)
 */
export function countRequest(
  ctx: Context,
  counter: RateCounter,
  rateClass: RateClass,
  caller: string,
  once?: string,
): void | Promise<void> {
  const apply = (quota: Quota | null) => {
    if (quota) applyQuota(ctx, counter, rateClass, quota);
  };
  const quota = counter.take(rateClass, caller, once);
  return quota instanceof Promise ? quota.then(apply) : apply(quota);
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10, sections 3 and 4. @throws too_many_requests (429) */
function applyQuota(ctx: Context, limiter: RateCounter, rateClass: RateClass, quota: Quota): void {
  const { allowed, remaining, restoredIn, retryIn } = quota;
  ctx.res.setHeader('RateLimit-Policy', `"${rateClass}";q=${limiter.limits[rateClass]};w=${minute / 1000}`);
  ctx.res.setHeader('RateLimit', `"${rateClass}";r=${remaining};t=${Math.ceil(restoredIn / 1000)}`);
  if (allowed) return;
  const seconds = Math.max(1, Math.ceil(retryIn / 1000));
  throw tooManyRequests(`Try again in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } });
}
