import { randomUUID } from 'node:crypto';
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('the operator creates, lists, suspends and reinstates tenants', async (t) => {
  const created = await box.operator.post('/admin/tenants', {
    slug: 'second',
    name: 'Second',
    staffEmail: 'a@b.example',
  });
  t.equal(created.status, 201);
  t.equal(created.headers.get('location'), `/admin/tenants/${created.body.id}`);
  t.match(created.body, { slug: 'second', status: 'active', invite: { token: /^inv_/ } });

  const again = await box.operator.post('/admin/tenants', { slug: 'second', name: 'X', staffEmail: 'a@b.example' });
  t.match(again, { status: 409, body: { code: 'tenant_slug_taken' } });

  const first = await box.operator.get('/admin/tenants?limit=1');
  t.equal(first.body.items.length, 1);
  const rest = await box.operator.get(`/admin/tenants?limit=1&cursor=${first.body.nextCursor}`);
  t.strictSame([...first.body.items, ...rest.body.items].map(({ slug }) => slug).sort(), [box.slug, 'second'].sort());

  const path = `/admin/tenants/${created.body.id}`;
  const reach = { 'x-tenant-slug': 'second', 'x-hosting-secret': box.secrets.hosting };
  t.match(await box.operator.patch(path, { status: 'suspended' }), { status: 200, body: { status: 'suspended' } });
  const visitor = await box.hosting.get('/store', { headers: reach });
  t.match(visitor, { status: 403, body: { code: 'tenant_suspended' } });
  t.match(await box.operator.patch(path, { status: 'active', name: 'Renamed' }), { body: { name: 'Renamed' } });
  t.match(await box.hosting.get('/store', { headers: reach }), { status: 200 });
});

t.test('staff see and rename only their own tenant', async (t) => {
  const other = await box.openTenant();
  t.strictSame(
    (await box.staff.get('/admin/tenants')).body.items.map(({ id }: { id: string }) => id),
    [box.id],
  );
  t.match(await box.staff.get(`/admin/tenants/${other.id}`), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.patch(`/admin/tenants/${other.id}`, { name: 'Mine' }), { status: 404 });
  t.match(await box.staff.patch(`/admin/tenants/${box.id}`, { name: 'New name' }), { status: 200 });
  t.match(await box.staff.patch(`/admin/tenants/${box.id}`, { status: 'suspended' }), { status: 403 });
  const create = await box.staff.post('/admin/tenants', { slug: 'mine', name: 'Mine', staffEmail: 'a@b.example' });
  t.match(create, { status: 403, body: { code: 'forbidden' } });
});

t.test('an exact host takes precedence over a wildcard, which matches one label', async (t) => {
  const exact = await box.openTenant();
  const wide = await box.openTenant();
  const add = (id: string, host: string) => box.operator.post(`/admin/tenants/${id}/domains`, { host });
  t.match(await add(wide.id, '*.Shops.Example.'), { status: 201, body: { host: '*.shops.example' } });
  // Earlier releases allowed overlapping hosts and addresses.
  for (const host of ['one.shops.example', '10.0.0.7']) {
    const text = 'insert into tenant_domains (id, owner_id, host) values ($1, $2, $3)';
    await box.owner.query(text, [randomUUID(), exact.id, host]);
  }
  t.match(await add(exact.id, 'bücher.example'), { status: 201, body: { host: 'xn--bcher-kva.example' } });

  const wrong = await add(exact.id, 'no host');
  t.match(wrong, { status: 400, body: { errors: exactly([{ pointer: '/host' }]) } });

  const cases: [string, string | null][] = [
    ['one.shops.example', exact.slug],
    ['ONE.shops.example.', exact.slug],
    ['two.shops.example:8080', wide.slug],
    ['a.b.shops.example', null],
    ['shops.example', null],
    ['10.0.0.7:3001', exact.slug],
    ['10.0.0.8', null],
  ];
  for (const [host, slug] of cases) {
    const found = await box.hosting.get(`/tenants/lookup?host=${encodeURIComponent(host)}`);
    t.match(found, slug ? { status: 200, body: { tenantSlug: slug } } : { status: 404 }, host);
  }
  t.match(await box.visitor().get('/tenants/lookup?host=one.shops.example', { headers: { 'x-hosting-secret': '' } }), {
    status: 401,
  });

  const domains = await box.operator.get(`/admin/tenants/${exact.id}/domains`);
  const { id } = domains.body.items[0];
  t.match(await box.operator.delete(`/admin/tenants/${wide.id}/domains/${id}`), { status: 404 });
  t.match(await box.operator.delete(`/admin/tenants/${exact.id}/domains/${id}`), { status: 204 });
});

t.test('X-Tenant-Slug requires the hosting secret, and an unknown host is 404', async (t) => {
  const headers = { 'x-tenant-slug': box.slug };
  t.match(await box.operator.get('/store', { headers }), { status: 403, body: { code: 'hosting_secret_required' } });
  const wrong = { ...headers, 'x-hosting-secret': 'wrong' };
  t.match(await box.operator.get('/store', { headers: wrong }), { status: 403 });
  t.match(await box.operator.get('/store'), { status: 404, body: { code: 'tenant_not_found' } });
});
