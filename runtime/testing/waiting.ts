/**
 * Waiting until statements of a box wait for a lock, so that a test of two at once knows that both are under way.
 */
import type { TestBox } from './box.ts';

/** Resolves once so many sessions of the box's database wait for a lock; a test that waits in vain is ended by tap. */
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
