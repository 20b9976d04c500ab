/**
 * Throttles guesses at the vendor's secrets and at licence keys: failures are counted by IP address, those at keys also by
 * the first characters of the key's random part. Counts are in memory: they are lost on a restart, and each process has its
 * own. A key has 160 random bits, so there the limit just saves the work of checking guesses; a secret is as good as the
 * vendor has chosen it.
 */
import { tooManyRequests } from '@carton/runtime/service';

/** Failures of a source in a window, after which its requests are rejected. */
export const failuresPerWindow = 20;
const windowMilliseconds = 60_000;
/** Maximum number of sources; above it, the oldest is dropped. */
const maxSources = 50_000;

export interface GuessLimiter {
  /** @throws too_many_requests (429) if one of the sources has reached the limit in its window */
  check(sources: readonly string[]): void;
  /**
   * Counts a failure.
   * @throws too_many_requests (429) if the limit was exceeded by concurrent requests, which `check` had let pass
   */
  count(sources: readonly string[]): void;
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
