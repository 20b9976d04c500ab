/**
 * What goes wrong on the way to a provider and back.
 */
import type { Random } from './random.ts';

export type Operation = 'create' | 'retrieve' | 'confirm' | 'capture' | 'cancel' | 'refund' | 'list_refunds';

/**
 * `lose`: the connection breaks; `delay`: it takes so many milliseconds; `status`: the provider answers this, 429 or
 * one of 5xx, instead of what it would have.
 */
export type Fault = { lose: true } | { delay: number } | { status: number };

/**
 * Asked twice for each call: before its work, which a fault other than a delay then prevents, and after it, when only
 * the answer is hurt.
 */
export type Faults = (operation: Operation, moment: 'before' | 'after') => Fault | null;

/** How often something goes wrong, from 0 to 1. */
export interface FaultRates {
  loseCall: number;
  loseAnswer: number;
  delay: number;
  /** The longest delay, in milliseconds. */
  longestDelay: number;
  /** Of a 500 before the work and after it, each, and of a 429. */
  fail: number;
  /** Of events that come late, by up to `latestEvent` milliseconds; those after them overtake them. */
  lateEvent: number;
  latestEvent: number;
  duplicateEvent: number;
}

export const noRates: FaultRates = {
  loseCall: 0,
  loseAnswer: 0,
  delay: 0,
  longestDelay: 0,
  fail: 0,
  lateEvent: 0,
  latestEvent: 0,
  duplicateEvent: 0,
};

/** Faults by chance. The shopper's own confirmation is spared: a shopper who sees it fail would try again. */
export function randomFaults(random: Random, rates: FaultRates): Faults {
  return (operation, moment) => {
    if (operation === 'confirm') return null;
    const drawn = random();
    const lost = moment === 'before' ? rates.loseCall : rates.loseAnswer;
    if (drawn < lost) return { lose: true };
    if (drawn < lost + rates.fail) return { status: moment === 'before' && random() < 0.5 ? 429 : 500 };
    if (drawn < lost + rates.fail + rates.delay) return { delay: Math.ceil(random() * rates.longestDelay) };
    return null;
  };
}
