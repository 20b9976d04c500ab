/**
 * Waiting for a condition. tap's timeout ends a test that waits forever.
 */
import type { TestBox } from './box.ts';

/** Polls a value and resolves to the first one for which the condition holds. */
export async function until<T>(read: () => T | Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Resolves when at least this number of sessions of the box's database wait for a lock, so that a test of concurrent requests
 * knows that they are in progress.
 */
export async function untilWaiting({ owner }: TestBox, count = 1): Promise<void> {
  for (;;) {
    const [row] = await owner.query<{ waiting: number }>(
      `select count(*) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    // The background work of the box may wait for one too.
    if ((row?.waiting ?? 0) >= count) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
