/**
 * Waits between attempts, and what a Retry-After has to say in them.
 */
import t from 'tap';
import { readRetryAfter, secondsUntilRetry } from '../backoff.ts';

const schedule = { first: 5, factor: 4, most: 7_200 };

t.test('waits grow by the factor up to the longest, and differ', (t) => {
  for (const [failures, planned] of [
    [1, 5],
    [2, 20],
    [6, 5_120],
    [7, 7_200],
    [10_000, 7_200],
  ] as const) {
    const waits = Array.from({ length: 50 }, () => secondsUntilRetry(schedule, failures));
    t.ok(
      waits.every((wait) => wait >= planned && wait <= planned * 1.2),
      `${planned} seconds after ${failures} failures`,
    );
    t.ok(new Set(waits).size > 1, 'not all at the same time');
  }
  t.end();
});

t.test('a destination may lengthen a wait, up to the longest, and not shorten it', (t) => {
  const wait = (retryAfter: number) => secondsUntilRetry(schedule, 2, retryAfter);
  for (const [asked, planned] of [
    [1, 20],
    [600, 600],
    [1_000_000, 7_200],
  ] as const) {
    const seconds = wait(asked);
    t.ok(seconds >= planned && seconds <= planned * 1.2, `${seconds} seconds if it asks for ${asked}`);
  }
  t.end();
});

t.test('Retry-After is a number of seconds or a time', (t) => {
  t.equal(readRetryAfter('120'), 120);
  const inAMinute = readRetryAfter(new Date(Date.now() + 60_000).toUTCString());
  t.ok(inAMinute > 55 && inAMinute <= 60, `${inAMinute} seconds`);
  for (const nothing of [undefined, '', 'soon', '-5', '1.5e', '99999999999', new Date(0).toUTCString()])
    t.equal(readRetryAfter(nothing), 0, `${nothing}`);
  t.end();
});
