/**
 * Quotas of tenants: the operator sets limits, staff read their own, and staff accounts and hosts are limited.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'media'].map((name) => `@carton/${name}`);
const environment = { TENANT_HOST_LIMIT: '8', MEDIA_QUOTA_MEGABYTES: '5' };
const box = await createTestBox(t, { packages, tier: 'basic', environment });

const limit = ({ id }: { id: string }, quotas: object) => box.operator.patch(`/admin/tenants/${id}`, { quotas });
const invite = ({ staff }: TestTenant, email: string) => staff.post('/admin/invites', { email, role: 'viewer' });
const linesOf = async (tenant: TestTenant, caller = tenant.staff) => {
  const { items } = (await caller.get(`/admin/tenants/${tenant.id}/quotas`)).body;
  return items.map(
    ({ name, limit, isDefault, used }: Record<string, unknown>) => `${name} ${used}/${limit} ${isDefault}`,
  );
};
const refused = (quota: string, most: number, used: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, limit: most, used },
});

t.test('the operator sets limits, which staff read and cannot change', async (t) => {
  const tenant = await box.openTenant();
  const defaults = ['hosts 0/8 true', 'mediaMegabytes 0/5 true', 'staff 1/null true'];
  t.strictSame(await linesOf(tenant), defaults);
  t.strictSame(await linesOf(tenant, box.operator), defaults);
  t.match(await limit(tenant, { staff: 3, hosts: null }), { status: 200 });
  t.match(await limit(tenant, { mediaMegabytes: 0 }), { status: 200 });
  const changed = ['hosts 0/null false', 'mediaMegabytes 0/0 false', 'staff 1/3 false'];
  t.strictSame(await linesOf(tenant), changed);
  const own = await tenant.staff.patch(`/admin/tenants/${tenant.id}`, { quotas: { staff: 100 } });
  t.match(own, { status: 403, body: { code: 'forbidden' } });
  t.strictSame(await linesOf(tenant), changed);
  const other = await box.openTenant();
  t.strictSame(await linesOf(other), defaults);
  t.match(await other.staff.get(`/admin/tenants/${tenant.id}/quotas`), { status: 404 });
  for (const quotas of [{ orders: 1 }, { staff: -1 }, { staff: 'many' }]) {
    t.match(await limit(tenant, quotas), { status: 400, body: { code: 'invalid_request' } });
  }
});

t.test('a tenant is created with limits', async (t) => {
  const body = { slug: 'limited', name: 'Limited', staffEmail: 'a@b.example', quotas: { staff: 1 } };
  const { id } = (await box.operator.post('/admin/tenants', body)).body;
  const { items } = (await box.operator.get(`/admin/tenants/${id}/quotas`)).body;
  t.match(items.at(-1), { name: 'staff', unit: 'members of staff', limit: 1, isDefault: false, used: 1 });
});

t.test('staff and open invites count; a revoked or expired invite and a removal free a place', async (t) => {
  const tenant = await box.openTenant();
  await limit(tenant, { staff: 2 });
  const first = await invite(tenant, 'one@example.com');
  t.equal(first.status, 201);
  t.match(await invite(tenant, 'two@example.com'), refused('staff', 2, 2));
  t.match((await tenant.staff.get('/admin/invites')).body.items, exactly([{ email: 'one@example.com' }]));
  const accepted = { token: first.body.token, name: 'One', password: 'correct horse battery' };
  const joined = await tenant.visitor().post('/admin/invites/accept', accepted);
  t.equal(joined.status, 201, 'an invite has its place');
  t.match(await invite(tenant, 'two@example.com'), refused('staff', 2, 2));
  t.equal((await tenant.staff.delete(`/admin/users/${joined.body.id}`)).status, 200);
  const second = await invite(tenant, 'two@example.com');
  t.equal(second.status, 201);
  await box.owner.query("update staff_invites set expires_at = now() - interval '1 second' where tenant_id = $1", [
    tenant.id,
  ]);
  t.equal((await linesOf(tenant)).at(-1), 'staff 1/2 false');
  const third = await invite(tenant, 'three@example.com');
  t.equal(third.status, 201);
  t.equal((await tenant.staff.delete(`/admin/invites/${third.body.id}`)).status, 204);
  t.equal((await invite(tenant, 'four@example.com')).status, 201);
});

t.test('of 20 concurrent invites and hosts at the last place one succeeds', async (t) => {
  const tenant = await box.openTenant();
  await limit(tenant, { staff: 2, hosts: 1 });
  const twenty = Array.from({ length: 20 }, (_, at) => at);
  const expected = [201, ...Array(19).fill(409)];
  const invites = await Promise.all(twenty.map((at) => invite(tenant, `p${at}@example.com`)));
  t.strictSame(invites.map(({ status }) => status).sort(), expected);
  const add = (at: number) =>
    tenant.staff.post(`/admin/tenants/${tenant.id}/domains`, { host: `h${at}.${tenant.slug}.example` });
  const hosts = await Promise.all(twenty.map(add));
  t.strictSame(hosts.map(({ status }) => status).sort(), expected);
  t.match(await add(20), refused('hosts', 1, 1));
  const [{ id }] = (await tenant.staff.get(`/admin/tenants/${tenant.id}/domains`)).body.items;
  t.equal((await tenant.staff.delete(`/admin/tenants/${tenant.id}/domains/${id}`)).status, 204);
  t.equal((await add(21)).status, 201);
});
