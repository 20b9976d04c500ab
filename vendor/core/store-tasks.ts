/**
 * Open tasks of a store: what its staff still have to set, as packages find it. Nothing is stored: a task is open while its
 * condition holds.
 */
import { extensionPoint, object, onceForBox, type Static, type TenantDatabase, Type } from '@carton/runtime';
import { Store } from './schemas.ts';
import { settingsSchema } from './store-settings.ts';

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

function tasksSchema(codes: readonly string[]) {
  const known = codes.length > 0 ? `: ${codes.map((code) => `\`${code}\``).join(', ')}` : '';
  const task = object(
    {
      code: Type.String({ description: `Stable code${known}`, examples: ['country_missing'] }),
      detail: Type.String({ description: 'What to do, in English', examples: ['Set the country of the store.'] }),
    },
    { $id: 'StoreTask', description: 'What staff still have to set' },
  );
  const description =
    'Open tasks of the store. They also change with other resources, so `If-Match` does not compare them';
  return Type.Array(task, { readOnly: true, description });
}

/** The store as staff read it, with its open tasks. */
export const AdminStore = object({ ...Store.properties, tasks: tasksSchema([]) }, { $id: 'Store' });
export type AdminStore = Static<typeof AdminStore>;

/** The same with the settings and the tasks of the box's packages. */
export const storeSchema = onceForBox((box) => {
  const tasks = tasksSchema(storeTasks.of(box).map(({ code }) => code));
  return object({ ...Store.properties, settings: settingsSchema(box), tasks }, { $id: 'Store' });
});

/** The open tasks of a store, in dependency order of the packages. */
export async function openTasks(db: TenantDatabase, store: Store): Promise<AdminStore['tasks']> {
  const tasks = storeTasks.of(db);
  const open = await Promise.all(tasks.map((task) => task.isOpen(db, store)));
  return tasks.flatMap(({ code, detail }, at) => (open[at] ? [{ code, detail }] : []));
}
