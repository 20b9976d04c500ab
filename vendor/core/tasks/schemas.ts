/**
 * The store as staff read it: with the settings of all packages of the box, and its open tasks.
 */
import { object, onceForBox, type Static, Type } from '@carton/runtime';
import { Store } from '../schemas.ts';
import { settingsSchema } from '../settings/schemas.ts';
import { storeTasks } from './service.ts';

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
