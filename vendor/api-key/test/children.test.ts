/**
 * Keys that keys have created: they end with their creator, never have more rights or a later expiry, and a new text of
 * a key is not stronger than the former.
 */
import { callerOf, createTestBox, eventTypesOf, exactly, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, hire, type Key, packages } from './keys.ts';

const box = await createTestBox(t, { packages, tier: 'enterprise' });
const keeping = ['api-key:read', 'api-key:write'];
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const statusOf = async (key: Key) => (await key.get('/admin/store')).status;
const keyWith = (text: string) => callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${text}` });

/** A key of the staff, one that it has created, and one that this has created. */
async function createFamily(scopes: readonly string[] = ['core:read', 'core:write']) {
  const parent = await createKey(box, [...scopes, ...keeping]);
  const child = await createKey(box, [...scopes, ...keeping], { creator: parent });
  const grandchild = await createKey(box, scopes, { creator: child });
  return { parent, child, grandchild };
}

t.test('a key that a key has created ends when its creator is revoked', async (t) => {
  const { parent, child, grandchild } = await createFamily();
  const other = await createKey(box, ['core:read']);
  t.match((await box.staff.get(`/admin/api-keys/${grandchild.id}`)).body, { parentId: child.id });
  t.match((await box.staff.get(`/admin/api-keys/${parent.id}`)).body, { parentId: null });
  t.equal(await statusOf(grandchild), 200);
  t.equal((await box.staff.post(`/admin/api-keys/${parent.id}/revoke`)).status, 200);
  for (const key of [parent, child, grandchild]) {
    t.match(await key.get('/admin/store'), { status: 401, body: { code: 'unauthenticated' } });
    t.match((await box.staff.get(`/admin/api-keys/${key.id}`)).body, { revokedAt: /Z$/ });
    t.strictSame(await eventTypesOf(box, key.id), ['api_key.created', 'api_key.revoked']);
  }
  t.equal(await statusOf(other), 200);
});

t.test('a key ends with a creator whose end did not reach it', async (t) => {
  const { parent, grandchild } = await createFamily();
  // As an earlier release does, which knows no keys of keys.
  await box.db.query('update api_keys set revoked_at = now() where tenant_id = $1 and id = $2', [parent.id]);
  t.match(await grandchild.get('/admin/store'), { status: 401, body: { detail: /created this one has been revoked/ } });
  await box.db.query(
    `update api_keys set revoked_at = null, expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2`,
    [parent.id],
  );
  t.match(await grandchild.get('/admin/store'), { status: 401, body: { detail: /created this one has expired/ } });
});

t.test('a key does not outlast the one that creates it', async (t) => {
  const expiresAt = inAnHour();
  const parent = await createKey(box, ['core:read', ...keeping], { expiresAt });
  const body = { name: 'For ever', kind: 'secret', scopes: ['core:read'] };
  t.match(await parent.post('/admin/api-keys', body), { status: 201, body: { expiresAt, parentId: parent.id } });
  t.match(await parent.post('/admin/api-keys', { name: 'Page', kind: 'publishable' }), {
    status: 201,
    body: { expiresAt },
  });
  t.match(await parent.post('/admin/api-keys', { ...body, expiresAt: '2999-01-01T00:00:00Z' }), {
    status: 400,
    body: { errors: exactly([{ pointer: '/expiresAt' }]) },
  });
  const sooner = new Date(Date.now() + 60_000).toISOString();
  t.match(await parent.post('/admin/api-keys', { ...body, expiresAt: sooner }), {
    status: 201,
    body: { expiresAt: sooner },
  });
});

t.test('a key never has more rights than those above it have now', async (t) => {
  const { parent, child, grandchild } = await createFamily();
  t.equal((await grandchild.patch('/admin/store', { name: 'Theirs' })).status, 200);
  const narrowed = await box.staff.patch(`/admin/api-keys/${parent.id}`, { scopes: ['core:read', ...keeping] });
  t.equal(narrowed.status, 200);
  for (const key of [child, grandchild]) {
    t.equal(await statusOf(key), 200);
    t.match(await key.patch('/admin/store', { name: 'Theirs' }), { status: 403, body: { detail: /core:write/ } });
  }
  const body = { name: 'Wider', kind: 'secret', scopes: ['core:write'] };
  t.equal((await child.post('/admin/api-keys', body)).status, 403);
  for (const scopes of [['core:read', 'auth:write'], ['*'], ['core:write']])
    t.match(await box.staff.patch(`/admin/api-keys/${grandchild.id}`, { scopes }), {
      status: 400,
      body: { errors: exactly([{ pointer: /scopes/ }]) },
    });
  t.equal((await box.staff.patch(`/admin/api-keys/${parent.id}`, { scopes: ['*'] })).status, 200);
  t.equal((await grandchild.patch('/admin/store', { name: 'Ours' })).status, 200);
});

t.test('a key of a key with all rights has those of its creator', async (t) => {
  const parent = await createKey(box, ['*']);
  const child = await createKey(box, ['*'], { creator: parent });
  await box.staff.patch(`/admin/api-keys/${parent.id}`, { scopes: ['core:read'] });
  t.equal(await statusOf(child), 200);
  for (const path of ['/admin/users', '/admin/api-keys', '/admin/audit-log'])
    t.equal((await child.get(path)).status, 403, path);
});

t.test('a key adds no scopes to keys that do not end with it', async (t) => {
  const leaked = await createKey(box, ['core:read', 'core:write', ...keeping], { expiresAt: inAnHour() });
  const lasting = await createKey(box, ['core:read']);
  const scopes = ['core:read', 'core:write'];
  t.match(await leaked.patch(`/admin/api-keys/${lasting.id}`, { scopes }), {
    status: 403,
    body: { code: 'forbidden' },
  });
  const own = await createKey(box, ['core:read'], { creator: leaked });
  t.equal((await leaked.patch(`/admin/api-keys/${own.id}`, { scopes })).status, 200);
  t.equal((await leaked.patch(`/admin/api-keys/${lasting.id}`, { name: 'Till' })).status, 200);
});

t.test('a rotated key is what the former was, and keys that the former has created end', async (t) => {
  const expiresAt = inAnHour();
  const parent = await createKey(box, ['core:read', ...keeping], { expiresAt });
  const child = await createKey(box, ['core:read', ...keeping], { creator: parent });
  const grandchild = await createKey(box, ['core:read'], { creator: child });
  const { updatedAt: _, ...before } = (await box.staff.get(`/admin/api-keys/${child.id}`)).body;
  const rotated = await child.post(`/admin/api-keys/${child.id}/rotate`);
  t.equal(rotated.status, 200);
  const { key, updatedAt: __, ...after } = rotated.body;
  t.match(key, /^ck_secret_[0-9a-f]{48}$/);
  t.strictSame({ ...after, lastUsedAt: null }, { ...before, lastUsedAt: null, lastFour: key.slice(-4) });
  t.match(after, { expiresAt, parentId: parent.id, scopes: exactly(['core:read', ...keeping]) });
  for (const ended of [child, grandchild]) t.equal(await statusOf(ended), 401);
  t.equal((await keyWith(key).get('/admin/store')).status, 200);
  t.equal((await keyWith(key).patch('/admin/store', { name: 'Theirs' })).status, 403);
  t.strictSame((await eventTypesOf(box, child.id)).at(-1), 'api_key.rotated');
  await box.staff.post(`/admin/api-keys/${parent.id}/revoke`);
  t.equal((await keyWith(key).get('/admin/store')).status, 401);
  t.match(await box.staff.post(`/admin/api-keys/${child.id}/rotate`), {
    status: 409,
    body: { code: 'api_key_revoked' },
  });
});

t.test('nobody gets a stronger key by rotating one', async (t) => {
  const [manager, viewer] = [await hire(box, 'manager'), await hire(box, 'viewer')];
  const mighty = await createKey(box, ['*']);
  const lasting = await createKey(box, ['core:read', ...keeping]);
  const leaked = await createKey(box, ['core:read', ...keeping], { expiresAt: inAnHour() });
  const child = await createKey(box, ['core:read', ...keeping], { creator: leaked });
  const rotations: [caller: Pick<Key, 'post'>, id: string, status: number][] = [
    [viewer, lasting.id, 403],
    [manager, mighty.id, 403],
    [lasting, mighty.id, 403],
    [leaked, lasting.id, 403],
    [child, leaked.id, 403],
    [leaked, child.id, 200],
    [manager, lasting.id, 200],
    [box.staff, mighty.id, 200],
  ];
  for (const [caller, id, status] of rotations)
    t.equal((await caller.post(`/admin/api-keys/${id}/rotate`)).status, status);
});

t.test('a key that is created while its creator ends is refused or ends with it', async (t) => {
  for (let round = 0; round < Math.min(raceRounds, 20); round++) {
    const { parent, child } = await createFamily();
    const verb = round % 2 ? 'rotate' : 'revoke';
    const body = { name: 'Late', kind: 'secret', scopes: ['core:read'] };
    const creators = [parent, child, parent, child];
    const [ended, ...late] = await Promise.all([
      box.staff.post(`/admin/api-keys/${parent.id}/${verb}`),
      ...creators.map((creator) => creator.post('/admin/api-keys', body)),
    ]);
    t.equal(ended?.status, 200);
    for (const { status, body: created } of late) {
      if (status !== 201) t.equal(status, 401);
      else t.equal((await keyWith(created.key).get('/admin/store')).status, 401);
    }
    const left = await box.db.query(
      'select id from api_keys where tenant_id = $1 and parent_id = any($2::uuid[]) and revoked_at is null',
      [[parent.id, child.id]],
    );
    t.strictSame(left, []);
  }
});
