/**
 * A package with custom roles determines the permissions of staff and keys.
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
    method: 'put', path: '/admin/duties/:id', operationId: 'setDuties', tag: 'Duties', summary: 'Set the duties of a holder',
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

const setDuties = (id: string, permissions: string[], by = box.staff) => by.put(`/admin/duties/${id}`, { permissions });
const permissionsOf = async (person: { get: typeof box.staff.get }) => (await person.get('/admin/me')).body.permissions;

t.test('the permissions of a source replace those of the role from the next request on', async (t) => {
  const person = await hire(box, 'manager');
  t.ok((await permissionsOf(person)).includes('core:write'), 'the permissions of the role');
  t.equal((await setDuties(person.id, ['core:read', 'duty:write'])).status, 200);
  t.strictSame(await permissionsOf(person), ['core:read', 'duty:write']);
  t.equal((await person.get('/admin/store')).status, 200);
  t.equal((await person.patch('/admin/store', { name: 'Theirs' })).status, 403);
  await setDuties(person.id, []);
  t.strictSame(await permissionsOf(person), []);
  t.equal((await person.get('/admin/store')).status, 403, 'no permission at all');
});

t.test('without an entry in the source the role applies', async (t) => {
  const person = await hire(box, 'viewer');
  t.ok((await permissionsOf(person)).includes('core:read'));
  t.notOk((await permissionsOf(person)).includes('core:write'));
});

t.test('a source cannot restrict an owner', async (t) => {
  const owner = await hire(box, 'owner');
  await setDuties(owner.id, ['core:read']);
  t.equal((await owner.patch('/admin/store', { name: 'Ours' })).status, 200);
});

t.test('a source cannot make an owner, and nobody grants more than they have', async (t) => {
  const person = await hire(box, 'viewer');
  await setDuties(person.id, ['*', 'duty:write']);
  t.strictSame(await permissionsOf(person), ['duty:write']);
  t.equal((await setDuties(person.id, ['core:write'], person)).status, 403);
});

t.test('staff cannot change others with more permissions', async (t) => {
  const [clerk, other] = [await hire(box, 'viewer'), await hire(box, 'viewer')];
  await setDuties(clerk.id, ['auth:read', 'auth:write', 'core:read']);
  await setDuties(other.id, ['core:read', 'core:write']);
  t.equal((await clerk.patch(`/admin/users/${other.id}`, { status: 'disabled' })).status, 403);
  await setDuties(other.id, ['core:read']);
  t.equal((await clerk.patch(`/admin/users/${other.id}`, { status: 'disabled' })).status, 200);
  t.equal((await clerk.patch(`/admin/users/${clerk.id}`, { role: 'manager' })).status, 403, 'nor raise their own');
});

t.test('a key never has more than its scopes', async (t) => {
  const created = await box.staff.post('/admin/api-keys', { name: 'Till', kind: 'secret', scopes: ['core:read'] });
  const { authorization: _, ...reach } = box.staff.headers;
  const till = callerOf(box.url, { ...reach, authorization: `Bearer ${created.body.key}` });
  t.equal((await till.get('/admin/store')).status, 200);
  await setDuties(created.body.id, ['core:write', 'duty:write']);
  t.equal((await till.get('/admin/store')).status, 403);
  t.equal((await till.patch('/admin/store', { name: 'Theirs' })).status, 403, 'not among its scopes');
  await setDuties(created.body.id, ['core:read']);
  t.equal((await till.get('/admin/store')).status, 200);
});
