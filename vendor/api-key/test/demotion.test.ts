/**
 * A key never does more than the person responsible for it may do now, and nobody ends a key that is stronger than they are.
 */
import { hire } from '@carton/auth/testing';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, packages } from './keys.ts';

const box = await createTestBox(t, { packages, tier: 'enterprise' });
const forbidden = { status: 403, body: { code: 'forbidden' } };
const keeping = ['api-key:read', 'api-key:write'];
const demote = (id: string, role: string) => box.staff.patch(`/admin/users/${id}`, { role });
const permissionsOf = async (id: string) => (await box.staff.get(`/admin/api-keys/${id}`)).body.permissions;

t.test('the keys of a manager who becomes a viewer read, and so do those that they have created', async (t) => {
  const manager = await hire(box, 'manager');
  const scopes = ['core:read', 'core:write'];
  const key = await createKey(box, [...scopes, ...keeping], { creator: manager });
  const child = await createKey(box, scopes, { creator: key });
  const others = await createKey(box, scopes);
  t.strictSame(await permissionsOf(child.id), scopes);
  for (const each of [key, child]) t.equal((await each.patch('/admin/store', { name: 'Ours' })).status, 200);

  const demoted = await demote(manager.id, 'viewer');
  t.match(demoted, {
    status: 200,
    body: {
      apiKeys: exactly([
        { id: child.id, revokedAt: null, permissions: exactly(['core:read']) },
        { id: key.id, revokedAt: null, permissions: exactly(['core:read', 'api-key:read']) },
      ]),
    },
  });
  for (const each of [key, child]) {
    t.equal((await each.get('/admin/store')).status, 200);
    t.match(await each.patch('/admin/store', { name: 'Theirs' }), { ...forbidden, body: { detail: /core:write/ } });
    t.match(await each.post('/admin/api-keys', { name: 'More', kind: 'secret', scopes: ['core:read'] }), forbidden);
  }
  t.match((await box.staff.get(`/admin/api-keys/${child.id}`)).body, { scopes, permissions: exactly(['core:read']) });
  t.equal((await others.patch('/admin/store', { name: 'Ours' })).status, 200, "a key of an owner is not the manager's");

  await demote(manager.id, 'manager');
  t.equal((await child.patch('/admin/store', { name: 'Ours' })).status, 200, 'the scopes are those of before');
});

t.test('a key with all rights has those of a manager once its owner is one', async (t) => {
  const owner = await hire(box, 'owner');
  const key = await createKey(box, ['*'], { creator: owner });
  t.equal((await key.get('/admin/users')).status, 200);
  t.equal((await demote(owner.id, 'manager')).status, 200);
  t.strictSame(await permissionsOf(key.id), ['*:read', '*:write']);
  t.equal((await key.patch('/admin/store', { name: 'Ours' })).status, 200);
  t.match(await key.patch(`/admin/users/${owner.id}`, { role: 'owner' }), forbidden);
  t.match(await key.post('/admin/invites', { email: 'back@shop.example', role: 'owner' }), forbidden);
  t.match(await key.post('/admin/api-keys', { name: 'All', kind: 'secret', scopes: ['*'] }), forbidden);
});

t.test('a key gets no scope that the person responsible does not have', async (t) => {
  const manager = await hire(box, 'manager');
  const key = await createKey(box, ['core:read', 'core:write', 'audit:read'], { creator: manager });
  await demote(manager.id, 'viewer');
  const change = (scopes: string[]) => box.staff.patch(`/admin/api-keys/${key.id}`, { scopes });
  t.match(await change(['core:read', 'auth:write']), {
    status: 400,
    body: { errors: exactly([{ pointer: '/scopes/1' }]) },
  });
  t.match(await change(['core:read', 'core:write']), { status: 200, body: { permissions: exactly(['core:read']) } });
});

t.test('a key that outlasts its person has what the person had', async (t) => {
  for (const way of ['disable', 'remove']) {
    const owner = await hire(box, 'owner');
    const [mighty, narrow] = [
      await createKey(box, ['*'], { creator: owner }),
      await createKey(box, ['core:write'], { creator: owner }),
    ];
    const reading = await createKey(box, ['core:read', 'core:write'], { creator: owner });
    await demote(owner.id, 'viewer');
    const path = `/admin/users/${owner.id}`;
    const left =
      way === 'disable'
        ? await box.staff.patch(path, { status: 'disabled', keepApiKeys: true })
        : await box.staff.delete(`${path}?keepApiKeys=true`);
    t.equal(left.status, 200);
    t.match(left.body.apiKeys[0], { id: reading.id, permissions: exactly(['core:read']) });
    for (const key of [mighty, reading]) {
      t.equal((await key.get('/admin/store')).status, 200, way);
      t.match(await key.patch('/admin/store', { name: 'Theirs' }), forbidden, way);
    }
    t.equal((await mighty.get('/admin/users')).status, 200, 'viewers read them');
    t.match(await narrow.patch('/admin/store', { name: 'Theirs' }), { status: way === 'disable' ? 403 : 401 });
  }
  const manager = await hire(box, 'manager');
  const key = await createKey(box, ['core:read', 'core:write'], { creator: manager });
  t.equal((await box.staff.delete(`/admin/users/${manager.id}?keepApiKeys=true`)).status, 200);
  t.equal((await key.patch('/admin/store', { name: 'Ours' })).status, 200, 'a manager has these permissions');
});

t.test('nobody revokes a stronger key, but everyone the own ones', async (t) => {
  const manager = await hire(box, 'manager');
  const owner = await hire(box, 'owner');
  const mighty = await createKey(box, ['*']);
  const writing = await createKey(box, ['core:write']);
  const keeper = await createKey(box, ['core:read', ...keeping]);
  const reading = await createKey(box, ['core:read']);
  const own = await createKey(box, ['*'], { creator: owner });
  const child = await createKey(box, ['core:read'], { creator: keeper });
  await box.staff.patch(`/admin/api-keys/${keeper.id}`, { scopes: keeping });
  await demote(owner.id, 'manager');
  const attempts: [caller: Pick<typeof manager, 'post'>, key: typeof mighty, status: number, why: string][] = [
    [manager, mighty, 403, 'a manager and a key of the owner'],
    [keeper, mighty, 403, 'a key and a stronger one'],
    [keeper, writing, 403, 'a key and one with another right'],
    [keeper, reading, 403, 'a key and one with a right that it has lost'],
    [manager, reading, 200, 'a manager and a weaker key'],
    [keeper, child, 200, 'a key and one that it has created'],
    [owner, own, 200, 'a former owner and an own key'],
    [keeper, keeper, 200, 'a key and itself'],
    [box.staff, mighty, 200, 'an owner'],
  ];
  for (const [caller, key, status, why] of attempts) {
    t.equal((await caller.post(`/admin/api-keys/${key.id}/revoke`)).status, status, why);
    const { revokedAt } = (await box.staff.get(`/admin/api-keys/${key.id}`)).body;
    t.equal(revokedAt !== null, status === 200, why);
  }
});
