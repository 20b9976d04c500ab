/**
 * Which hosts a tenant can add: none of another tenant, and no public suffix.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic', environment: { TENANT_HOST_LIMIT: '8' } });
const first = await box.openTenant();
const second = await box.openTenant();

/** Adds a host as the tenant's staff or as the operator. */
const add = (tenant: TestTenant, host: string, caller = tenant.staff) =>
  caller.post(`/admin/tenants/${tenant.id}/domains`, { host });
const approve = (tenant: TestTenant, host: string) => add(tenant, host, box.operator);
const taken = { status: 409, body: { code: 'host_taken' } };
const wrong = { status: 400, body: { code: 'invalid_request', errors: exactly([{ pointer: '/host' }]) } };

async function servedAt(host: string): Promise<string | number> {
  const { status, body } = await box.hosting.get(`/tenants/lookup?host=${encodeURIComponent(host)}`);
  return status === 200 ? body.tenantSlug : status;
}

t.test('hosts above and below those of another tenant are refused, for the operator, too', async (t) => {
  t.match(await approve(first, '*.shops.example'), { status: 201, body: { state: 'approved', record: null } });
  t.match(await approve(first, 'deep.city.land.test'), { status: 201 });
  const names = ['a.shops.example', '*.shops.example', 'shops.example', '*.a.shops.example', 'a.b.shops.example'];
  for (const host of [...names, 'A.Shops.Example.', 'city.land.test', '*.city.land.test', '*.land.test', 'land.test']) {
    for (const caller of [second.staff, box.operator]) t.match(await add(second, host, caller), taken, host);
  }
  t.equal(await servedAt('a.shops.example'), first.slug);
  t.match(await add(first, 'a.shops.example'), { status: 201 }, 'the same tenant can have both');
  t.match(await add(second, 'myshops.example'), { status: 201 }, 'a common ending without the dot is another name');
  t.match(await add(second, 'shops.example.test'), { status: 201 });
  t.match(await approve(second, 'other.land.test'), { status: 201 }, 'so is a sibling');
  t.match(await add(first, 'a.shops.example'), taken, 'duplicates are refused');
});

t.test('public suffixes, addresses and invalid names are refused', async (t) => {
  const names = [
    '*.com',
    '*.example',
    'example',
    'com',
    '*.co.uk',
    'github.io',
    '*.github.io',
    'intranet',
    '*.localhost',
  ];
  const addresses = ['10.0.0.7', '127.0.0.1', '[::1]', '::1', '*.10.0.0.7', '0x7f.1', '127.1'];
  for (const host of [...names, ...addresses, 'no host', '*.*.shop.com', 'a..com', '*']) {
    for (const caller of [second.staff, box.operator]) t.match(await add(second, host, caller), wrong, host);
  }
  t.match(await add(second, 'localhost'), wrong, 'only the operator can add localhost');
  t.match(await add(second, 'shop.localhost'), wrong, 'or a name below it');
  t.match(await approve(second, 'localhost'), { status: 201 });
  for (const host of ['localhost', 'LOCALHOST:3001', '127.0.0.1:3001', '127.0.0.2', '[::1]:3001']) {
    t.equal(await servedAt(host), second.slug, host);
  }
  t.equal(await servedAt('10.0.0.7'), 404);
});

t.test('the operator limits the number of hosts per tenant', async (t) => {
  const tenant = await box.openTenant();
  const hosts = Array.from({ length: 12 }, (_, at) => `h${at}.${tenant.slug}.example`);
  const responses = await Promise.all(hosts.map((host) => add(tenant, host)));
  t.strictSame(responses.map(({ status }) => status).sort(), [...Array(8).fill(201), ...Array(4).fill(409)]);
  t.match(await approve(tenant, `h12.${tenant.slug}.example`), { status: 409, body: { code: 'quota_exceeded' } });
  const { items } = (await tenant.staff.get(`/admin/tenants/${tenant.id}/domains`)).body;
  t.equal(items.length, 8);
  t.match(await tenant.staff.delete(`/admin/tenants/${tenant.id}/domains/${items[0].id}`), { status: 204 });
  const refused = responses.findIndex(({ status }) => status === 409);
  t.match(await add(tenant, hosts[refused] as string), { status: 201 });
});

t.test('of tenants that concurrently add overlapping hosts one succeeds', async (t) => {
  const tenants = await Promise.all([box.openTenant(), box.openTenant(), box.openTenant()]);
  for (let round = 0; round < 8; round++) {
    const hosts = [`*.r${round}.test`, `a.r${round}.test`, `*.a.r${round}.test`];
    const responses = await Promise.all(hosts.map((host, at) => approve(tenants[at] as TestTenant, host)));
    const statuses = responses.map(({ status }) => status);
    t.equal(statuses.filter((status) => status === 201).length, 1, `${statuses}`);
    t.equal(statuses.filter((status) => status === 409).length, 2, `${statuses}`);
  }
});

t.test('staff cannot access the hosts of another tenant', async (t) => {
  const path = `/admin/tenants/${first.id}/domains`;
  const { items } = (await first.staff.get(path)).body;
  t.match(await second.staff.get(path), { status: 404 });
  t.match(await second.staff.post(path, { host: 'mine.example' }), { status: 404 });
  for (const prefix of [path, `/admin/tenants/${second.id}/domains`]) {
    t.match(await second.staff.delete(`${prefix}/${items[0].id}`), { status: 404, body: { code: 'not_found' } });
    t.match(await second.staff.post(`${prefix}/${items[0].id}/verify`), { status: 404, body: { code: 'not_found' } });
  }
});
