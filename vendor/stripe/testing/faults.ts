/**
 * Faults on the way to a provider and back.
 */
import type { Random } from './random.ts';

export type Operation = 'create' | 'retrieve' | 'confirm' | 'capture' | 'cancel' | 'refund' | 'list_refunds';

/**
 * `lose`: the connection breaks; `delay`: milliseconds; `status`: the provider responds with this status, 429 or 5xx.
 */
export type Fault = { lose: true } | { delay: number } | { status: number };

/**
 * Called twice per request: before it is processed, where any fault but a delay prevents that, and after it, where only
 * the response is affected.
 */
export type Faults = (operation: Operation, moment: 'before' | 'after') => Fault | null;

/** Probabilities of faults, from 0 to 1. */
export interface FaultRates {
  loseRequest: number;
  loseResponse: number;
  delay: number;
  /** Milliseconds. */
  maxDelay: number;
  /** Of a 500 before and after processing, each, and of a 429. */
  fail: number;
  /** Of events delayed by up to `maxEventDelay` milliseconds, so that later ones overtake them. */
  delayEvent: number;
  maxEventDelay: number;
  repeatEvent: number;
}

export const noRates: FaultRates = {
  loseRequest: 0,
  loseResponse: 0,
  delay: 0,
  maxDelay: 0,
  fail: 0,
  delayEvent: 0,
  maxEventDelay: 0,
  repeatEvent: 0,
};

/** Random faults. The shopper's own confirmation is exempt: a shopper who sees it fail would try again. */
export function randomFaults(random: Random, rates: FaultRates): Faults {
  return (operation, moment) => {
    if (operation === 'confirm') return null;
    const drawn = random();
    const lost = moment === 'before' ? rates.loseRequest : rates.loseResponse;
    if (drawn < lost) return { lose: true };
    if (drawn < lost + rates.fail) return { status: moment === 'before' && random() < 0.5 ? 429 : 500 };
    if (drawn < lost + rates.fail + rates.delay) return { delay: Math.ceil(random() * rates.maxDelay) };
    return null;
  };
}
