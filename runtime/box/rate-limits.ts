/**
 * Whom a box counts requests by: staff, API keys and members by who they are, everybody else by the address they call
 * from. A guest's session is no name: anyone makes as many as they like.
 */
import { Guesses, type RateLimiting } from '../http/guesses.ts';
import { addressBlock, RateLimiter, type RateLimits } from '../http/rate-limit.ts';
import type { MetricsReader } from '../operations/metrics/access.ts';
import type { StaffCaller } from './services.ts';
import type { ShopperSession } from './shopper-session.ts';
import type { TenantScope } from './tenancy.ts';

/** Callers kept at most, some 100 bytes each. */
const mostCallers = 100_000;

export function boxRateLimits(limits: RateLimits): RateLimiting<TenantScope> {
  const limiter = new RateLimiter(limits, { largest: mostCallers });
  return {
    limiter,
    guesses: new Guesses(limiter, ({ tenant }) => tenant?.id ?? 'box'),
    callerName(ctx, { tenant }, caller) {
      const { type, id, memberId, hosting, metrics } = (caller ?? {}) as Partial<
        StaffCaller & ShopperSession & MetricsReader
      > & { hosting?: true };
      // They keep the box running, and hold its own secrets.
      if (type === 'operator' || hosting || metrics) return null;
      const shopper = memberId ? `member ${memberId}` : addressBlock(ctx.ip);
      return `${tenant?.id ?? 'box'} ${type ? `${type} ${id}` : shopper}`;
    },
  };
}
