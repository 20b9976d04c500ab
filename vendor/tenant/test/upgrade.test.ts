/**
 * Upgrading a box of an earlier release: its hosts remain served, even invalid ones, and new hosts must not overlap
 * them.
 */
import { randomUUID } from 'node:crypto';
import { openDatabase } from '@carton/runtime/service';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const migration = new URL('../migrations/20261122140000_tenant_prove_domains.js', import.meta.url).href;
const { down, up } = await import(migration);
const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const other = await box.openTenant();

t.test('hosts of an earlier release are approved', async (t) => {
  await box.staff.post(`/admin/tenants/${box.id}/domains`, { host: 'waiting.shop' });
  const { knex, close } = openDatabase({ url: box.databaseUrl });
  t.teardown(close);
  await down(knex);
  const hosts = ['*.old.example', '10.0.0.7', '*.com', 'a.old.example'];
  for (const [at, host] of hosts.entries()) {
    const owner = at === 3 ? other : box;
    await box.owner.query('insert into tenant_domains (id, owner_id, host) values ($1, $2, $3)', [
      randomUUID(),
      owner.id,
      host,
    ]);
  }
  await up(knex);
  // The start after the migration grants this.
  await knex.raw('grant select, update on tenant_domain_claims to public');
  const listed = (await box.staff.get(`/admin/tenants/${box.id}/domains`)).body.items;
  t.strictSame(
    listed.map(({ host, state, record }: Record<string, unknown>) => [host, state, record]).sort(),
    ['*.com', '*.old.example', '10.0.0.7'].map((host) => [host, 'approved', null]),
  );
  for (const [host, slug] of [
    ['b.old.example', box.slug],
    ['a.old.example', other.slug],
    ['10.0.0.7', box.slug],
    ['any.com', box.slug],
  ]) {
    t.match(await box.hosting.get(`/tenants/lookup?host=${host}`), { status: 200, body: { tenantSlug: slug } }, host);
  }
  const taken = await box.operator.post(`/admin/tenants/${other.id}/domains`, { host: 'c.old.example' });
  t.match(taken, { status: 409, body: { code: 'host_taken' } });
});
