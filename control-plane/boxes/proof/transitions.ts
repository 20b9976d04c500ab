/**
 * What a check changes: the state of the domain, and when it is checked again. Only a check that found no proof counts
 * against a domain; a failed lookup only postpones the next one.
 */
import type { DomainRow } from '../domains/store.ts';
import type { Outcome } from './check.ts';

/** Hours from the first check that finds no proof until a domain is no longer served. */
export const graceHours = 72;
/** Checks that must find no proof before a domain is no longer served, however long they take. */
export const leastMisses = 4;

const minute = 60;
const hour = 60 * minute;

/** A change of a row; times are in seconds from now. */
export interface Transition {
  state: 'pending' | 'proved' | 'failing';
  provedBy: DomainRow['provedBy'];
  misses: number;
  lookupFailures: number;
  nextCheck: number;
  /** `keep`: as before. Null: the domain does not stop. */
  stops: number | 'keep' | null;
  /** Undefined: nothing that anybody must be told. */
  event?: 'proved' | 'failing' | 'recovered' | 'lost';
}

type Before = Pick<DomainRow, 'provedBy' | 'misses' | 'lookupFailures'> & {
  state: Transition['state'];
  /** Whether the grace of a failing domain is over. */
  isOverdue: boolean;
};

/**
 * Decides what follows from an outcome.
 * @param isTaken whether another customer has the domain, so that a proof does not help
 */
export function transitionOf(before: Before, { result }: Pick<Outcome, 'result'>, isTaken: boolean): Transition {
  const { state, provedBy, misses, lookupFailures } = before;
  const isProof = result === 'record' || result === 'delegation';
  if (isProof && !(state === 'pending' && isTaken)) {
    const event = state === 'pending' ? 'proved' : state === 'failing' ? 'recovered' : undefined;
    const rest = { misses: 0, lookupFailures: 0, nextCheck: 24 * hour, stops: null };
    return { state: 'proved', provedBy: result, ...rest, ...(event && { event }) };
  }
  if (state === 'pending') {
    const failures = result === 'unknown' ? lookupFailures + 1 : 0;
    const nextCheck = backOff(misses + failures, minute, hour);
    return {
      state,
      provedBy,
      misses: result === 'unknown' ? misses : misses + 1,
      lookupFailures: failures,
      nextCheck,
      stops: null,
    };
  }
  if (result === 'unknown') {
    const nextCheck = backOff(lookupFailures, 5 * minute, 6 * hour);
    return { state, provedBy, misses, lookupFailures: lookupFailures + 1, nextCheck, stops: 'keep' };
  }
  if (state === 'proved') {
    const stops = graceHours * hour;
    return { state: 'failing', provedBy, misses: 1, lookupFailures: 0, nextCheck: 6 * hour, stops, event: 'failing' };
  }
  if (!before.isOverdue || misses + 1 < leastMisses) {
    return { state, provedBy, misses: misses + 1, lookupFailures: 0, nextCheck: 6 * hour, stops: 'keep' };
  }
  const lost = { misses: 0, lookupFailures: 0, nextCheck: hour, stops: null };
  return { state: 'pending', provedBy: null, ...lost, event: 'lost' };
}

/** Seconds after so many fruitless checks: doubled each time. */
function backOff(fruitless: number, first: number, most: number): number {
  return Math.min(most, first * 2 ** Math.min(fruitless, 20));
}
