/**
 * Authentication by keys: routes, tenants and the recorded actor.
 */
import { get } from 'node:http';
import { callerOf, createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createKey, hire, packages } from './keys.ts';

/** The status of a request with a key and a chosen Host header, which fetch does not allow. */
function statusAt(host: string, key: string): Promise<number | undefined> {
  const headers = { host, authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    get(`${box.url}/admin/store`, { headers }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
  });
}

const box = await createTestBox(t, { packages, tier: 'enterprise' });

t.test('a secret key has the permissions of its scopes', async (t) => {
  const reader = await createKey(box, ['core:read']);
  const writer = await createKey(box, ['core:read', 'core:write', 'tenant:read']);
  const all = await createKey(box, ['*']);
  const cases: [key: typeof all, method: string, path: string, body: object | undefined, expected: object][] = [
    [reader, 'GET', '/admin/store', undefined, { status: 200 }],
    [
      reader,
      'PATCH',
      '/admin/store',
      { name: 'New' },
      { status: 403, body: { code: 'forbidden', detail: /core:write/ } },
    ],
    [reader, 'GET', '/admin/users', undefined, { status: 403, body: { detail: /auth:read/ } }],
    [reader, 'GET', '/admin/tenants', undefined, { status: 403 }],
    [writer, 'PATCH', '/admin/store', { name: 'New' }, { status: 200, body: { name: 'New' } }],
    [writer, 'GET', '/admin/tenants', undefined, { status: 200, body: { items: [{ id: box.id }] } }],
    [writer, 'GET', '/admin/api-keys', undefined, { status: 403 }],
    [all, 'GET', '/admin/users', undefined, { status: 200 }],
    [all, 'POST', '/admin/invites', { email: 'a@shop.example', role: 'owner' }, { status: 201 }],
    [all, 'GET', '/admin/me', undefined, { status: 401, body: { code: 'unauthenticated' } }],
    [all, 'POST', '/admin/auth/logout', undefined, { status: 401 }],
  ];
  for (const [key, method, path, body, expected] of cases) {
    t.match(await key.call(method, path, { body }), expected, `${method} ${path}`);
  }
});

t.test('a key cannot grant roles that exceed its scopes', async (t) => {
  const key = await createKey(box, ['auth:read', 'auth:write']);
  const { id } = (await box.staff.get('/admin/me')).body;
  await hire(box, 'viewer');
  const viewer = (await key.get('/admin/users')).body.items.find(({ role }: { role: string }) => role === 'viewer');
  const refused = { status: 403, body: { code: 'forbidden' } };
  for (const role of ['owner', 'manager', 'viewer']) {
    t.match(await key.post('/admin/invites', { email: `${role}@key.example`, role }), refused, role);
    t.match(await key.patch(`/admin/users/${viewer.id}`, { role }), refused, role);
  }
  t.match(await key.patch(`/admin/users/${id}`, { status: 'disabled' }), refused);
  t.match(await key.delete(`/admin/users/${id}`), refused);
});

t.test('invalid keys and keys of other tenants do not authenticate', async (t) => {
  const other = await box.openTenant();
  const foreign = await createKey(box, ['*'], { tenant: other });
  const expired = await createKey(box, ['*']);
  await box.db.query("update api_keys set expires_at = now() - interval '1 s' where tenant_id = $1 and id = $2", [
    expired.id,
  ]);
  const good = await createKey(box, ['*']);
  const mistyped = good.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  const unknown = `ck_secret_${'0'.repeat(48)}`;
  const cases: [name: string, key: string][] = [
    ['of another tenant', foreign.key],
    ['expired', expired.key],
    ['mistyped', mistyped],
    ['in capitals', good.key.toUpperCase()],
    ['unknown', unknown],
    ['its hash', 'ck_'],
  ];
  for (const [name, key] of cases) {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await box.visitor().get('/admin/store', { headers });
    t.match(
      answer,
      {
        status: 401,
        body: { code: 'unauthenticated', detail: /^(The credential is invalid here|This API key has expired)/ },
      },
      name,
    );
    t.equal(answer.headers.get('www-authenticate'), 'Bearer', name);
  }
  const none = await box.visitor().get('/admin/store');
  t.match(none, { status: 401, body: { detail: 'Authenticate as staff or apiKey.' } });
  t.match(await good.get('/admin/store'), { status: 200 });

  for (const [tenant, host] of [
    [box, 'one.example'],
    [other, 'two.example'],
  ] as const) {
    await box.operator.post(`/admin/tenants/${tenant.id}/domains`, { host });
  }
  t.equal(await statusAt('one.example', good.key), 200);
  t.equal(await statusAt('two.example', good.key), 401, 'at a host of another tenant');
  t.equal(await statusAt('two.example', foreign.key), 200);
  t.equal(await statusAt('one.example', foreign.key), 401);
});

t.test('a publishable key does not authenticate staff routes', async (t) => {
  const key = await createKey(box, [], { kind: 'publishable' });
  for (const path of ['/admin/store', '/admin/users', '/admin/tenants']) {
    t.match(await key.get(path), { status: 403, body: { code: 'forbidden', detail: /publishable/ } }, path);
  }
  t.match(await key.get('/admin/me'), { status: 401 });
  t.match(await key.get('/store'), { status: 200 });
});

t.test('the last use is recorded, and rarely written', async (t) => {
  const key = await createKey(box, ['core:read']);
  const path = `/admin/api-keys/${key.id}`;
  const lastUse = async () => (await box.staff.get(path)).body.lastUsedAt;
  t.equal(await lastUse(), null);
  await Promise.all(Array.from({ length: 5 }, () => key.get('/admin/store')));
  const first = await lastUse();
  t.match(first, /Z$/);
  const version = async () =>
    (
      await box.db.query<{ xmin: string }>('select xmin::text from api_keys where tenant_id = $1 and id = $2', [key.id])
    )[0]?.xmin;
  const before = await version();
  await key.get('/admin/store');
  t.equal(await version(), before, 'the row is not written again');
  await box.db.query(
    "update api_keys set last_used_at = now() - interval '16 minutes' where tenant_id = $1 and id = $2",
    [key.id],
  );
  await key.get('/admin/store');
  t.ok((await lastUse()) >= first);
});

t.test('the audit log names the key as the actor', async (t) => {
  const key = await createKey(box, ['core:write'], { name: 'Robot' });
  t.match(await key.patch('/admin/store', { name: 'Named by a robot' }), { status: 200 });
  const { items } = (await box.staff.get(`/admin/audit-log?actorId=${key.id}`)).body;
  t.match(
    items,
    exactly([
      {
        actorType: 'api_key',
        actorId: key.id,
        actorLabel: 'Robot',
        resource: 'store',
        after: { name: 'Named by a robot' },
      },
    ]),
  );
});

t.test('the document offers a key for all routes with a permission', async (t) => {
  const { paths, components } = (await callerOf(box.url).get('/docs/json')).body;
  const staff = [{ staffSession: [] }, { staffCookie: [] }];
  t.strictSame(paths['/admin/store'].get.security, [...staff, { apiKey: [] }]);
  t.strictSame(paths['/admin/tenants'].get.security, [{ operatorSecret: [] }, ...staff, { apiKey: [] }]);
  t.strictSame(paths['/admin/me'].get.security, staff, 'not for routes about the caller');
  t.match(components.securitySchemes.apiKey, { type: 'http', scheme: 'bearer' });
});
