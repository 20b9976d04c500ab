/**
 * How often keys may be guessed: failures are counted by the address they come from and by the first characters of
 * the key's random part. Counts are kept in this process's memory; a restart forgets them, and several control planes
 * each count their own. A key has 160 random bits: this keeps guessing cheap for us, not hard for them.
 */
import { tooManyRequests } from '@carton/runtime/service';

/** Failures that a source may have in a window before it is told to wait. */
export const failuresPerWindow = 20;
const windowMilliseconds = 60_000;
/** Sources remembered at most; beyond it the oldest is forgotten. */
const mostSources = 50_000;

export interface GuessLimiter {
  /** @throws too_many_requests (429) while one of the sources has used up its window */
  refuse(sources: readonly string[]): void;
  /** Counts a failure. @throws too_many_requests (429) for one that should have been refused: they came at once */
  count(sources: readonly string[]): void;
}

/** Makes a limiter. `elapsed` gives milliseconds that only ever grow. */
export function createGuessLimiter(elapsed: () => number = () => performance.now()): GuessLimiter {
  const windows = new Map<string, { failures: number; ends: number }>();

  function refuseOver(sources: readonly string[], limit: number): void {
    const now = elapsed();
    const over = sources
      .flatMap((source) => windows.get(source) ?? [])
      .filter(({ failures, ends }) => ends > now && failures >= limit);
    if (over.length === 0) return;
    const seconds = Math.ceil((Math.max(...over.map(({ ends }) => ends)) - now) / 1000);
    throw tooManyRequests(`Too many wrong licence keys. Try again in ${seconds} s.`, {
      headers: { 'Retry-After': String(seconds) },
    });
  }

  return {
    refuse: (sources) => refuseOver(sources, failuresPerWindow),
    count(sources) {
      const now = elapsed();
      for (const source of sources) {
        const window = windows.get(source);
        if (window && window.ends > now) window.failures += 1;
        else {
          // Put at the end: a map keeps the order of insertion, so its first entry is the oldest window.
          windows.delete(source);
          windows.set(source, { failures: 1, ends: now + windowMilliseconds });
        }
      }
      while (windows.size > mostSources) windows.delete(windows.keys().next().value as string);
      refuseOver(sources, failuresPerWindow + 1);
    },
  };
}
