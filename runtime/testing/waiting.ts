/**
 * Waiting until something holds. A test that waits in vain is ended by tap.
 */
import type { TestBox } from './box.ts';

/** Asks again and again; resolves with the first answer that is as wanted. */
export async function until<T>(ask: () => T | Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Resolves once so many sessions of the box's database wait for a lock, so that a test of two at once knows that both
 * are under way.
 */
export async function untilWaiting({ owner }: TestBox, count = 1): Promise<void> {
  for (;;) {
    const [row] = await owner.query<{ waiting: number }>(
      `select count(*) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (row?.waiting === count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
