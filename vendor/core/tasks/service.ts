/**
 * Open tasks of a store: what its staff still have to set, as packages find it. Nothing is stored: a task is open while its
 * condition holds.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { Store } from '../schemas.ts';

/** A task of one package. */
export interface StoreTask {
  /** Stable: `country_missing`. */
  readonly code: string;
  /** What to do, and what happens otherwise. */
  readonly detail: string;
  /** Called with each read of the store by staff: at most one short statement, and none where the store itself decides. */
  isOpen(db: TenantDatabase, store: Store): boolean | Promise<boolean>;
}

export const storeTasks = extensionPoint<StoreTask>('core.store-tasks');

/** The open tasks of a store, in dependency order of the packages. */
export async function openTasks(db: TenantDatabase, store: Store): Promise<Pick<StoreTask, 'code' | 'detail'>[]> {
  const tasks = storeTasks.of(db);
  const open = await Promise.all(tasks.map((task) => task.isOpen(db, store)));
  return tasks.flatMap(({ code, detail }, at) => (open[at] ? [{ code, detail }] : []));
}
