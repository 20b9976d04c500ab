/**
 * The limit of guesses: which sources are rejected, and for how long.
 */
import { Problem } from '@carton/runtime/service';
import t from 'tap';
import { createGuessLimiter, failuresPerWindow } from '../guesses.ts';

/** The Retry-After of a rejected call in seconds; 0 for one that is not rejected. */
function retryAfter(call: () => void): number {
  try {
    call();
    return 0;
  } catch (error) {
    if (error instanceof Problem && error.type.status === 429) return Number(error.headers['Retry-After']);
    throw error;
  }
}

t.test('a source at the limit is rejected until its window ends; others are not', async (t) => {
  let now = 0;
  const limiter = createGuessLimiter(() => now);
  const waitOf = (...sources: string[]) => retryAfter(() => limiter.check(sources));
  for (let failure = 0; failure < failuresPerWindow; failure += 1) {
    t.equal(waitOf('address 1'), 0);
    limiter.count(['address 1']);
    now += 1000;
  }
  t.equal(waitOf('address 1'), 60 - failuresPerWindow);
  t.equal(waitOf('address 2', 'address 1'), 60 - failuresPerWindow);
  t.equal(waitOf('address 2'), 0);
  now = 59_999;
  t.equal(waitOf('address 1'), 1);
  now = 60_000;
  t.equal(waitOf('address 1'), 0);
  limiter.count(['address 1']);
  t.equal(waitOf('address 1'), 0, 'the new window begins with one failure');
});

t.test('concurrent failures above the limit are rejected when they are counted', async (t) => {
  const limiter = createGuessLimiter(() => 0);
  for (let failure = 0; failure < failuresPerWindow; failure += 1) limiter.count(['address 1']);
  t.equal(
    retryAfter(() => limiter.count(['address 1'])),
    60,
  );
});
