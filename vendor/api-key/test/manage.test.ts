/**
 * Creating, reading, changing and revoking keys, and the permissions for it.
 */
import { createTestBox, eventsOf, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, hire, packages } from './keys.ts';

const box = await createTestBox(t, { packages, tier: 'enterprise' });
const manager = await hire(box, 'manager');
const viewer = await hire(box, 'viewer');

t.test('a key is shown once and stored as a hash', async (t) => {
  const created = await box.staff.post('/admin/api-keys', { name: 'Warehouse', kind: 'secret', scopes: ['core:read'] });
  t.match(created, {
    status: 201,
    body: { key: /^ck_secret_[0-9a-f]{48}$/, scopes: exactly(['core:read']), createdBy: box.email },
  });
  const { key, ...shown } = created.body;
  const path = `/admin/api-keys/${shown.id}`;
  t.equal(created.headers.get('location'), path);
  t.equal(shown.lastFour, key.slice(-4));
  t.match(shown, { expiresAt: null, revokedAt: null, lastUsedAt: null });
  t.strictSame((await box.staff.get(path)).body, shown);
  const listed = (await box.staff.get('/admin/api-keys')).body.items;
  t.strictSame(
    listed.filter(({ id }: { id: string }) => id === shown.id),
    [shown],
  );
  const stored = await box.db.query('select * from api_keys where tenant_id = $1');
  const events = await eventsOf(box);
  const logged = (await box.staff.get('/admin/audit-log?resource=api_key')).body;
  t.notMatch(JSON.stringify([stored, events, logged]), key);
  t.strictSame(await eventTypesOf(box, shown.id), ['api_key.created']);

  const other = await box.staff.post('/admin/api-keys', { name: 'Page', kind: 'publishable' });
  t.match(other, { status: 201, body: { key: /^ck_publishable_[0-9a-f]{48}$/, scopes: exactly([]) } });
});

t.test('invalid keys are refused', async (t) => {
  const cases: [body: object, pointer: string][] = [
    [{ kind: 'secret' }, '/scopes'],
    [{ kind: 'secret', scopes: [] }, '/scopes'],
    [{ kind: 'publishable', scopes: ['core:read'] }, '/scopes'],
    [{ kind: 'secret', scopes: ['core:read', 'nothing:read'] }, '/scopes/1'],
    [{ kind: 'secret', scopes: ['*:read'] }, '/scopes/0'],
    [{ kind: 'secret', scopes: ['core:read', 'core:read'] }, '/scopes'],
    [{ kind: 'other', scopes: ['core:read'] }, '/kind'],
    [{ kind: 'secret', scopes: ['core:read'], expiresAt: '2020-01-01T00:00:00Z' }, '/expiresAt'],
    [{ kind: 'secret', scopes: ['core:read'], expiresAt: 'tomorrow' }, '/expiresAt'],
  ];
  for (const [body, pointer] of cases) {
    const answer = await box.staff.post('/admin/api-keys', { name: 'Warehouse', ...body });
    t.match(
      answer,
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ pointer }]) } },
      JSON.stringify(body),
    );
  }
});

t.test('the scopes of a new key cannot exceed the permissions of its creator', async (t) => {
  const key = await createKey(box, ['api-key:write', 'core:read']);
  const creators = { manager, viewer, key };
  const cases: [creator: keyof typeof creators, scopes: string[], status: number][] = [
    ['manager', ['core:read', 'core:write', 'api-key:write', 'audit:read'], 201],
    ['manager', ['auth:read'], 201],
    ['manager', ['auth:write'], 403],
    ['manager', ['core:read', 'tenant:write'], 403],
    ['manager', ['*'], 403],
    ['viewer', ['core:read'], 403],
    ['key', ['core:read'], 201],
    ['key', ['core:write'], 403],
    ['key', ['api-key:read'], 403],
    ['key', ['*'], 403],
  ];
  for (const [creator, scopes, status] of cases) {
    const answer = await creators[creator].post('/admin/api-keys', { name: 'Theirs', kind: 'secret', scopes });
    t.equal(answer.status, status, `${creator} ${scopes}`);
    if (status === 403) t.equal(answer.body.code, 'forbidden');
  }
  t.match(await viewer.get('/admin/api-keys'), { status: 200 });
  const { items } = (await box.staff.get('/admin/api-keys?limit=1')).body;
  t.equal(items[0].createdBy, 'Warehouse', 'the creator is the key');
});

t.test('neither the old nor the new scopes of a changed key can exceed the permissions of the caller', async (t) => {
  const own = await createKey(box, ['core:read'], { creator: manager });
  const mighty = await createKey(box, ['*']);
  const publishable = await createKey(box, [], { kind: 'publishable' });
  const keeper = await createKey(box, ['api-key:write', 'core:read']);
  const cases: [caller: typeof manager, id: string, change: object, expected: object][] = [
    [
      manager,
      own.id,
      { name: 'New', scopes: ['core:write'] },
      { status: 200, body: { name: 'New', scopes: ['core:write'] } },
    ],
    [manager, own.id, { scopes: ['auth:write'] }, { status: 403 }],
    [manager, own.id, { scopes: ['*'] }, { status: 403 }],
    [manager, mighty.id, { name: 'Mine' }, { status: 403 }],
    [manager, mighty.id, { scopes: ['core:read'] }, { status: 403 }],
    [keeper, keeper.id, { scopes: ['*'] }, { status: 403 }],
    [keeper, mighty.id, { name: 'Mine' }, { status: 403 }],
    [box.staff, mighty.id, { scopes: ['core:read'] }, { status: 200, body: { scopes: ['core:read'] } }],
    [box.staff, own.id, { scopes: [] }, { status: 400, body: { errors: [{ pointer: '/scopes' }] } }],
    [box.staff, own.id, { scopes: ['no:read'] }, { status: 400, body: { errors: [{ pointer: '/scopes/0' }] } }],
    [box.staff, own.id, { kind: 'publishable' }, { status: 400 }],
    [box.staff, own.id, {}, { status: 400 }],
    [box.staff, publishable.id, { name: 'Page 2' }, { status: 200, body: { name: 'Page 2', scopes: [] } }],
    [box.staff, publishable.id, { scopes: ['core:read'] }, { status: 400 }],
  ];
  for (const [caller, id, change, expected] of cases) {
    t.match(await caller.patch(`/admin/api-keys/${id}`, change), expected, JSON.stringify(change));
  }
});

t.test('everyone who has the permissions of a key can revoke it, once and permanently', async (t) => {
  const key = await createKey(box, ['core:read', 'core:write']);
  const path = `/admin/api-keys/${key.id}`;
  t.match(await viewer.post(`${path}/revoke`), { status: 403 });
  t.match(await key.get('/admin/store'), { status: 200 });
  const [first, second] = await Promise.all([manager.post(`${path}/revoke`), manager.post(`${path}/revoke`)]);
  t.match(first, { status: 200, body: { revokedAt: /Z$/ } });
  t.equal(second.body.revokedAt, first.body.revokedAt);
  t.strictSame(await eventTypesOf(box, key.id), ['api_key.created', 'api_key.revoked']);
  t.match(await key.get('/admin/store'), { status: 401, body: { code: 'unauthenticated', detail: /revoked/ } });
  t.match(await box.staff.patch(path, { name: 'Again' }), { status: 409, body: { code: 'api_key_revoked' } });
});
