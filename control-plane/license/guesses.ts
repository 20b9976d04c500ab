/**
 * Throttles guesses at the vendor's secrets and at licence keys: failures are counted by kind of credential and IP address,
 * those at keys also by the first characters of the key's random part. Counts are in memory: they are lost on a restart,
 * and each process has its own.
 *
 * A credential of at least 128 random bits cannot be guessed, so it is compared first and only failures are counted: a
 * right one is never refused for the wrong ones of others at its address. A secret that the vendor has chosen shorter is
 * as good as it was chosen: it is not compared for an address with too many failures.
 */
import { addressBlock, tooManyRequests } from '@carton/runtime/service';

/** Failures of a source in a window, after which its further ones get 429. */
export const failuresPerWindow = 20;
const windowMilliseconds = 60_000;
/** Maximum number of sources; above it, the oldest is dropped. */
const maxSources = 50_000;

export interface GuessLimiter {
  /**
   * Before a secret is compared that may be guessable.
   * @throws too_many_requests (429) if one of the sources has reached the limit in its window
   */
  check(sources: readonly string[]): void;
  /**
   * Counts a failure.
   * @throws too_many_requests (429) if it is beyond the limit
   */
  count(sources: readonly string[]): void;
}

/** The source of guesses at a kind of credential, such as `admin`, from an IP address. */
export function guesserOf(kind: string, address: string): string {
  return [kind, 'address', addressBlock(address)].join(' ');
}

/** Creates a limiter. `elapsed` returns the milliseconds of a monotonic clock. */
export function createGuessLimiter(elapsed: () => number = () => performance.now()): GuessLimiter {
  const windows = new Map<string, { failures: number; ends: number }>();

  function rejectAbove(sources: readonly string[], limit: number): void {
    const now = elapsed();
    const over = sources
      .flatMap((source) => windows.get(source) ?? [])
      .filter(({ failures, ends }) => ends > now && failures >= limit);
    if (over.length === 0) return;
    const seconds = Math.ceil((Math.max(...over.map(({ ends }) => ends)) - now) / 1000);
    throw tooManyRequests(`Too many wrong credentials. Try again in ${seconds} seconds.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }

  return {
    check: (sources) => rejectAbove(sources, failuresPerWindow),
    count(sources) {
      const now = elapsed();
      for (const source of sources) {
        const window = windows.get(source);
        if (window && window.ends > now) window.failures += 1;
        else {
          // Inserted at the end: a map keeps the order of insertion, so its first entry is the oldest window.
          windows.delete(source);
          windows.set(source, { failures: 1, ends: now + windowMilliseconds });
        }
      }
      while (windows.size > maxSources) windows.delete(windows.keys().next().value as string);
      rejectAbove(sources, failuresPerWindow + 1);
    },
  };
}
