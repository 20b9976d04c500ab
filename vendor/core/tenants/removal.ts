/**
 * The removal of a deleted tenant's data: first what packages store elsewhere, such as files, then all rows.
 */
import { extensionPoint, type Job, removeTenantRows, renewJob, type TenantDatabase } from '@carton/runtime';
import { startRemoval } from './store.ts';

/** Removes what a package stores for a tenant outside of tables with a reference to the tenant. */
export interface TenantRemoval {
  /** For messages: `media`. */
  readonly name: string;
  /**
   * Removes a part that takes some seconds at most, idempotently, and before any row is removed. The tenant has been
   * suspended for at least a day. @returns true if there is more
   */
  remove(db: TenantDatabase): Promise<boolean>;
}
export const tenantRemovals = extensionPoint<TenantRemoval>('core.tenant-removals');

/** Work of one run. A box that stops waits for it. */
const runMilliseconds = 10_000;

/**
 * Removes the tenant of `db` if that is due, or a part of its data; the job then runs again soon. A run that is killed is
 * continued by the next one.
 */
export async function removeDeletedTenant(db: TenantDatabase, { name, everySeconds }: Omit<Job, 'run'>): Promise<void> {
  if (!(await startRemoval(db))) return;
  const end = performance.now() + runMilliseconds;
  for (const { remove } of tenantRemovals.of(db)) {
    while (await remove(db)) {
      if (performance.now() > end) return renewJob(db, { name }, 0);
      await renewJob(db, { name }, everySeconds);
    }
  }
  const isRemoved = await removeTenantRows(db, {
    task: name,
    milliseconds: end - performance.now(),
    onBatch: (tx) => renewJob(tx, { name }, everySeconds),
  });
  if (!isRemoved) await renewJob(db, { name }, 0);
}
