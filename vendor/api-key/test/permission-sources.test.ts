/**
 * A package that keeps roles of the shop's own says what people and keys may do.
 */

import { hire } from '@carton/auth/testing';
import { callerOf, createTestBox, writePackage } from '@carton/runtime/testing';
import t from 'tap';

const index = `
import { permissionSources, refuseGrantBeyond } from '@carton/auth';
import { definePackage, object, route, Type, Uuid } from '@carton/runtime';

const Duties = Type.Array(Type.String());

const setDuties = route(
  {
    method: 'put', path: '/admin/duties/:id', operationId: 'setDuties', tag: 'Duties', summary: 'Say what somebody does',
    access: 'staff', body: object({ permissions: Duties }), status: 200, response: object({ permissions: Duties }),
  },
  async ({ db, staff, params, body }) => {
    refuseGrantBeyond(staff, body.permissions);
    await db.query(
      'insert into duties (tenant_id, id, permissions) values ($1, $2, $3) on conflict (tenant_id, id) do update set permissions = excluded.permissions',
      [params.id, body.permissions],
    );
    return body;
  },
);

async function findDuties(db, { id }) {
  const [row] = await db.query('select permissions from duties where tenant_id = $1 and id = $2', [id]);
  return row?.permissions ?? null;
}

export default definePackage({ routes: [setDuties], extends: [permissionSources.with(findDuties)] });
`;
const migration = `
export const up = (knex) => knex.raw(\`
  create table duties (
    tenant_id uuid not null references tenants (id), id uuid not null, permissions text[] not null,
    primary key (tenant_id, id)
  )\`);
export const down = (knex) => knex.raw('drop table duties');
`;
const written = await writePackage(t, { name: 'duty', dependencies: ['core', 'auth', 'api-key'], index, migration }, [
  'tenant',
]);
const box = await createTestBox(t, { ...written, database: 'empty' });

const give = (id: string, permissions: string[], by = box.staff) => by.put(`/admin/duties/${id}`, { permissions });
const permissionsOf = async (person: { get: typeof box.staff.get }) => (await person.get('/admin/me')).body.permissions;

t.test('who has duties does these and nothing else, from the next request on', async (t) => {
  const person = await hire(box, 'manager');
  t.ok((await permissionsOf(person)).includes('core:write'), 'as the role says');
  t.equal((await give(person.id, ['core:read', 'duty:write'])).status, 200);
  t.strictSame(await permissionsOf(person), ['core:read', 'duty:write']);
  t.equal((await person.get('/admin/store')).status, 200);
  t.equal((await person.patch('/admin/store', { name: 'Theirs' })).status, 403);
  await give(person.id, []);
  t.strictSame(await permissionsOf(person), []);
  t.equal((await person.get('/admin/store')).status, 403, 'nothing at all');
});

t.test('who has none does what the role says', async (t) => {
  const person = await hire(box, 'viewer');
  t.ok((await permissionsOf(person)).includes('core:read'));
  t.notOk((await permissionsOf(person)).includes('core:write'));
});

t.test('an owner stays one, whatever is said of them', async (t) => {
  const owner = await hire(box, 'owner');
  await give(owner.id, ['core:read']);
  t.equal((await owner.patch('/admin/store', { name: 'Ours' })).status, 200);
});

t.test('nobody becomes an owner by duties, or gives more than they have', async (t) => {
  const person = await hire(box, 'viewer');
  await give(person.id, ['*', 'duty:write']);
  t.strictSame(await permissionsOf(person), ['duty:write']);
  t.equal((await give(person.id, ['core:write'], person)).status, 403);
});

t.test('whoever may change staff touches nobody with more rights than theirs', async (t) => {
  const [clerk, other] = [await hire(box, 'viewer'), await hire(box, 'viewer')];
  await give(clerk.id, ['auth:read', 'auth:write', 'core:read']);
  await give(other.id, ['core:read', 'core:write']);
  t.equal((await clerk.patch(`/admin/users/${other.id}`, { status: 'disabled' })).status, 403);
  await give(other.id, ['core:read']);
  t.equal((await clerk.patch(`/admin/users/${other.id}`, { status: 'disabled' })).status, 200);
  t.equal((await clerk.patch(`/admin/users/${clerk.id}`, { role: 'manager' })).status, 403, 'nor helps themselves');
});

t.test('a key does no more than its scopes', async (t) => {
  const made = await box.staff.post('/admin/api-keys', { name: 'Till', kind: 'secret', scopes: ['core:read'] });
  const { authorization: _, ...reach } = box.staff.headers;
  const till = callerOf(box.url, { ...reach, authorization: `Bearer ${made.body.key}` });
  t.equal((await till.get('/admin/store')).status, 200);
  await give(made.body.id, ['core:write', 'duty:write']);
  t.equal((await till.get('/admin/store')).status, 403);
  t.equal((await till.patch('/admin/store', { name: 'Theirs' })).status, 403, 'not among its scopes');
  await give(made.body.id, ['core:read']);
  t.equal((await till.get('/admin/store')).status, 200);
});
