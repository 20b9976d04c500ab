/**
 * A host that staff add is served once DNS proves it or the operator approves it.
 */
import { createTestBox, exactly, payloadsOf, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { startDns } from './dns-server.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const dns = await startDns(t);
const box = await createTestBox(t, { packages, tier: 'basic', environment: { DNS_SERVERS: dns.address } });
const other = await box.openTenant();

const domainsOf = (tenant: TestTenant) => `/admin/tenants/${tenant.id}/domains`;
const add = async (tenant: TestTenant, host: string, caller = tenant.staff) =>
  (await caller.post(domainsOf(tenant), { host })).body;
const verify = (tenant: TestTenant, id: string, caller = tenant.staff) =>
  caller.post(`${domainsOf(tenant)}/${id}/verify`);

async function servedAt(host: string): Promise<string | number> {
  const { status, body } = await box.hosting.get(`/tenants/lookup?host=${encodeURIComponent(host)}`);
  return status === 200 ? body.tenantSlug : status;
}

const addedHosts = async (tenant: TestTenant) =>
  (await payloadsOf(tenant, { type: 'tenant_domain.added' })).map(({ host }) => host);

t.test('a TXT record proves a host, which is served from then on', async (t) => {
  const created = await add(box, 'www.linen.shop');
  t.match(created, { state: 'pending', checkedAt: null, error: null });
  t.match(created.record, { name: '_carton.www.linen.shop', type: 'TXT', value: /^carton-verification=[0-9a-f]{40}$/ });
  t.equal(await servedAt('www.linen.shop'), 404);
  t.strictSame(await addedHosts(box), []);
  const page = { origin: 'https://www.linen.shop' };
  const allowed = async () =>
    (await box.visitor().get('/store', { headers: page })).headers.get('access-control-allow-origin');
  t.equal(await allowed(), null, 'CORS does not allow its pages');

  const { value, name } = created.record;
  t.match((await verify(box, created.id)).body, {
    state: 'pending',
    checkedAt: /Z$/,
    error: { code: 'record_missing', fix: new RegExp(value) },
  });
  dns.outcomes[name] = [['v=spf1 -all'], ['carton-verification=of another']];
  t.match((await verify(box, created.id)).body, {
    state: 'pending',
    error: { code: 'record_differs', fix: new RegExp(name) },
  });
  t.equal(await servedAt('www.linen.shop'), 404);
  t.match(
    (await box.staff.get(domainsOf(box))).body.items,
    exactly([{ id: created.id, error: { code: 'record_differs' } }]),
  );

  dns.outcomes[name] = [['v=spf1 -all'], [value.slice(0, 12), value.slice(12)]];
  t.match(await verify(box, created.id), { status: 200, body: { state: 'proved', error: null, checkedAt: /Z$/ } });
  t.equal(await servedAt('www.linen.shop'), box.slug, 'immediately');
  t.equal(await allowed(), page.origin);
  t.strictSame(await addedHosts(box), ['www.linen.shop']);

  const queries = dns.queried.length;
  t.match(await verify(box, created.id), { body: { state: 'proved' } });
  t.equal(dns.queried.length, queries, 'a proved host is not looked up again');
  t.strictSame(await addedHosts(box), ['www.linen.shop']);
});

t.test('a failed DNS lookup is reported as such', async (t) => {
  const created = await add(box, '*.wool.shop');
  for (const outcome of ['server failure', 'silence'] as const) {
    dns.outcomes[created.record.name] = outcome;
    const { body } = await verify(box, created.id);
    t.match(body, { state: 'pending', error: { code: 'lookup_failed' } }, outcome);
  }
  dns.outcomes[created.record.name] = [[created.record.value]];
  t.match((await verify(box, created.id)).body, { state: 'proved', error: null });
  t.equal(created.record.name, '_carton.wool.shop', 'the record of a wildcard is below the name without *.');
  t.equal(await servedAt('a.wool.shop'), box.slug);
});

t.test('a pending host can be added by another tenant', async (t) => {
  const unproved = await add(other, 'www.oak.shop');
  const mine = await add(box, 'www.oak.shop');
  t.match([unproved, mine], exactly([{ state: 'pending' }, { state: 'pending' }]));
  t.not(unproved.record.value, mine.record.value, 'each tenant has its own record');
  dns.outcomes[mine.record.name] = [[mine.record.value]];
  t.match((await verify(other, unproved.id)).body, { state: 'pending', error: { code: 'record_differs' } });
  t.match((await verify(box, mine.id)).body, { state: 'proved' });
  t.equal(await servedAt('www.oak.shop'), box.slug);

  dns.outcomes[mine.record.name] = [[mine.record.value], [unproved.record.value]];
  t.match(await verify(other, unproved.id), { status: 409, body: { code: 'host_taken' } }, 'the first proof wins');
  t.match(await verify(other, unproved.id, box.operator), { status: 409, body: { code: 'host_taken' } });
  t.match(await other.staff.post(domainsOf(other), { host: 'a.www.oak.shop' }), { status: 409 });
  t.equal(await servedAt('www.oak.shop'), box.slug);
});

t.test('of two tenants that concurrently prove overlapping hosts one succeeds', async (t) => {
  for (let round = 0; round < 5; round++) {
    const wide = await add(box, `*.r${round}.shop`);
    const exact = await add(other, `a.r${round}.shop`);
    for (const { record } of [wide, exact]) dns.outcomes[record.name] = [[record.value]];
    const responses = await Promise.all([verify(box, wide.id), verify(other, exact.id)]);
    t.strictSame(responses.map(({ status }) => status).sort(), [200, 409]);
  }
});

t.test('the operator approves a host without DNS', async (t) => {
  const created = await add(box, 'www.enamel.shop');
  const queries = dns.queried.length;
  t.match(await verify(box, created.id, box.operator), { status: 200, body: { state: 'approved', checkedAt: null } });
  t.equal(dns.queried.length, queries);
  t.equal(await servedAt('www.enamel.shop'), box.slug);
  t.match(await add(box, 'www.notebook.shop', box.operator), { state: 'approved', record: null });
  t.match(await add(box, 'www.notebook.test'), { state: 'approved', record: null }, 'a reserved name needs no proof');
});
