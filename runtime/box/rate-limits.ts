/**
 * Whom a box counts requests by: staff, API keys and members by who they are, everybody else by the address they call
 * from. A guest's session is no name: anyone makes as many as they like.
 */
import { Guesses, type RateLimiting } from '../http/guesses.ts';
import { addressBlock, RateLimiter, type RateLimits } from '../http/rate-limit.ts';
import type { BoxCaller } from './callers.ts';
import type { TenantScope } from './tenancy.ts';

/** Callers kept at most, some 100 bytes each. */
const mostCallers = 100_000;

export function boxRateLimits(limits: RateLimits): RateLimiting<TenantScope, BoxCaller> {
  const limiter = new RateLimiter(limits, { largest: mostCallers });
  return {
    limiter,
    guesses: new Guesses(limiter, ({ tenant }) => tenant?.id ?? 'box'),
    callerName(ctx, { tenant }, caller) {
      const name = nameOf(caller) ?? addressBlock(ctx.ip);
      return isUnlimited(caller) ? null : `${tenant?.id ?? 'box'} ${name}`;
    },
  };
}

/** Those who keep the box running, and hold its own secrets. */
function isUnlimited(caller: BoxCaller | null): boolean {
  if (!caller) return false;
  return 'hosting' in caller || 'metrics' in caller || ('staff' in caller && caller.staff.type === 'operator');
}

function nameOf(caller: BoxCaller | null): string | null {
  if (!caller) return null;
  if ('staff' in caller) return `${caller.staff.type} ${caller.staff.id}`;
  return 'session' in caller && caller.session.memberId ? `member ${caller.session.memberId}` : null;
}
