/**
 * Rate limits of a box with several workers: the leader counts for all, so that a limit of the box is not exceeded
 * whichever worker a request reaches.
 */
import { type Quota, type RateClass, type RateCounter, RateLimiter, type RateLimits } from '../http/rate-limit.ts';
import type { Workers } from './workers.ts';

/** @param limits for the box */
export function sharedRateCounter(
  workers: Workers | undefined,
  limits: RateLimits,
  options: { maxCallers: number },
): RateCounter {
  const counts = new RateLimiter(limits, options);
  if (!workers) return counts;
  if (workers.isLeader) {
    type Take = { rateClass: RateClass; caller: string; once?: string };
    workers.handlers.set('count', ({ rateClass, caller, once }: Take) => counts.take(rateClass, caller, once));
    return counts;
  }
  // While the leader does not answer, each worker allows its part.
  const share = (limit: number) => (limit === 0 ? 0 : Math.max(1, Math.floor(limit / workers.count)));
  const parts = Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, share(limit)]));
  const own = new RateLimiter(parts as RateLimits, options);
  return {
    limits,
    take(rateClass, caller, once) {
      if (limits[rateClass] === 0) return null;
      const { leader } = workers;
      if (!leader) return own.take(rateClass, caller, once);
      const asked = leader.ask('count', { rateClass, caller, once }) as Promise<Quota | null>;
      return asked.catch(() => own.take(rateClass, caller, once));
    },
  };
}
