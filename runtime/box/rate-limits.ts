/**
 * How a box counts requests: staff, API keys and members by their identity, all other callers by their IP address. Guest
 * sessions do not count as an identity, since a client can create any number of them.
 */
import { addressBlock } from '../http/address.ts';
import { Guesses, type RateLimiting } from '../http/guesses.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import { sharedRateCounter } from '../workers/rate-counter.ts';
import type { Workers } from '../workers/workers.ts';
import type { BoxCaller } from './callers.ts';
import type { TenantScope } from './tenancy.ts';

/** Tracked callers at most, about 100 bytes each. */
const maxCallers = 100_000;

export function boxRateLimits(limits: RateLimits, workers?: Workers): RateLimiting<TenantScope, BoxCaller> {
  const limiter = sharedRateCounter(workers, limits, { maxCallers });
  return {
    limiter,
    guesses: new Guesses(limiter, ({ tenant }) => tenant?.id ?? 'box'),
    callerName(ctx, { tenant }, caller) {
      const name = nameOf(caller) ?? addressBlock(ctx.ip);
      return isExempt(caller) ? null : `${tenant?.id ?? 'box'} ${name}`;
    },
  };
}

/** Callers that run the box and hold its secrets are not limited. */
function isExempt(caller: BoxCaller | null): boolean {
  if (!caller) return false;
  return 'hosting' in caller || 'metrics' in caller || ('staff' in caller && caller.staff.type === 'operator');
}

function nameOf(caller: BoxCaller | null): string | null {
  if (!caller) return null;
  if ('staff' in caller) return `${caller.staff.type} ${caller.staff.id}`;
  return 'session' in caller && caller.session.memberId ? `member ${caller.session.memberId}` : null;
}
