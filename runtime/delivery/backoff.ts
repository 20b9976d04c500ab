/**
 * Back-off: the wait after a failed attempt grows by a factor, up to a limit. It is lengthened at random, so that what
 * failed together is not tried together.
 */

/** Waits between attempts. */
export interface BackOff {
  /** Seconds after the first failure. */
  readonly first: number;
  /** By which each wait is longer than the one before. */
  readonly factor: number;
  /** Seconds of the longest wait. */
  readonly most: number;
}

/** By how much waits are lengthened at most. */
const jitter = 0.2;

/**
 * Seconds to wait before the next attempt.
 * @param failures attempts that have failed in a row, this one included
 * @param retryAfter seconds for which the destination has asked; it lengthens the wait, up to the longest one
 */
export function secondsUntilRetry({ first, factor, most }: BackOff, failures: number, retryAfter = 0): number {
  const planned = first * factor ** (failures - 1);
  return Math.min(most, Math.max(planned, retryAfter)) * (1 + jitter * Math.random());
}

/** The seconds of a Retry-After header (RFC 9110, 10.2.3), from now on; 0 without one that can be read. */
export function readRetryAfter(header: string | undefined): number {
  if (header === undefined) return 0;
  if (/^\d{1,10}$/.test(header)) return Number(header);
  return Math.max(0, (Date.parse(header) - Date.now()) / 1000) || 0;
}
