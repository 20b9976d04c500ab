/**
 * A package that writes an event for each request, and whose subscribers and job record each call. A row in
 * `echo_faults` makes a subscriber fail, with an error that PostgreSQL cannot store as it is.
 */
import type { Cleanup } from '../../testing/box.ts';
import { writePackage } from '../../testing/written-package.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table echo_faults (
      tenant_id uuid not null references tenants (id), subscriber text not null, primary key (tenant_id, subscriber)
    );
    create table echo_records (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      position bigserial,
      subscriber text not null,
      text text,
      attempt integer,
      delivery_id uuid,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table echo_records, echo_faults');
`;

const index = `import {
  defineEvent, definePackage, job, newId, object, publish, route, subscriber, Type, Uuid,
} from '@carton/runtime';

const Echo = object({ id: Uuid, text: Type.String({ minLength: 1, maxLength: 100 }) }, { $id: 'Echo' });
const echoed = defineEvent({ type: 'echo.written', summary: 'Text was echoed', payload: object({ text: Type.String() }) });

const say = route(
  {
    method: 'post', path: '/admin/echoes', operationId: 'say', tag: 'Echo', summary: 'Echo text',
    access: 'staff', body: Echo, status: 201, response: Echo,
  },
  ({ db, body }) => db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1::text || $2::text, 0))', [body.id]);
    await publish(tx, echoed, { type: 'echo', id: body.id }, { text: body.text });
    if (body.text === 'rolled back') throw new Error('rolled back');
    return body;
  }),
);

const record = (name) => async (db, { payload, attempt, deliveryId }) => {
  await db.query(
    'insert into echo_records (tenant_id, id, subscriber, text, attempt, delivery_id) values ($1, $2, $3, $4, $5, $6)',
    [newId(), name, payload.text, attempt, deliveryId],
  );
  const faults = await db.query('select 1 from echo_faults where tenant_id = $1 and subscriber = $2 for share', [name]);
  if (faults.length > 0) throw new Error(name + ' fails\\u0000');
};

export default definePackage({
  routes: [say],
  events: [echoed],
  subscribers: [
    subscriber({ name: 'echo.once', events: [echoed], handle: record('echo.once') }),
    subscriber({ name: 'echo.outside', events: 'all', outsideTransaction: true, handle: async (db, event) => {
      if (event.type === 'echo.written') await record('echo.outside')(db, event);
    } }),
    subscriber({
      name: 'echo.loud', events: [echoed], concerns: ({ payload }) => payload.text === payload.text.toUpperCase(),
      handle: record('echo.loud'),
    }),
  ],
  jobs: [
    job({ name: 'echo.count', everySeconds: 3600, run: (db) => record('echo.count')(db, { payload: { text: null } }) }),
  ],
});
`;

export function echoPackage(t: Cleanup) {
  return writePackage(t, { name: 'echo', dependencies: ['core', 'auth'], index, migration }, ['tenant']);
}
