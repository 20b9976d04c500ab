/**
 * The limit of guesses: who is told to wait, for how long, and who is not.
 */
import { Problem } from '@carton/runtime/service';
import t from 'tap';
import { createGuessLimiter, failuresPerWindow } from '../guesses.ts';

/** For how many seconds a call is told to wait; 0 when it is not refused. */
function wait(call: () => void): number {
  try {
    call();
    return 0;
  } catch (error) {
    if (error instanceof Problem && error.type.status === 429) return Number(error.headers['Retry-After']);
    throw error;
  }
}

t.test('a source that failed too often waits until its window ends; others do not', async (t) => {
  let now = 0;
  const limiter = createGuessLimiter(() => now);
  const refused = (...sources: string[]) => wait(() => limiter.refuse(sources));
  for (let failure = 0; failure < failuresPerWindow; failure += 1) {
    t.equal(refused('address 1'), 0);
    limiter.count(['address 1']);
    now += 1000;
  }
  t.equal(refused('address 1'), 60 - failuresPerWindow);
  t.equal(refused('address 2', 'address 1'), 60 - failuresPerWindow);
  t.equal(refused('address 2'), 0);
  now = 59_999;
  t.equal(refused('address 1'), 1);
  now = 60_000;
  t.equal(refused('address 1'), 0);
  limiter.count(['address 1']);
  t.equal(refused('address 1'), 0, 'the new window begins with one failure');
});

t.test('failures that came at once are refused when they are counted', async (t) => {
  const limiter = createGuessLimiter(() => 0);
  for (let failure = 0; failure < failuresPerWindow; failure += 1) limiter.count(['address 1']);
  t.equal(
    wait(() => limiter.count(['address 1'])),
    60,
  );
});
