/**
 * Quotas of products under concurrency: exactly as many creations succeed as there are places.
 */
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const rounds = Math.min(raceRounds, 50);

t.test('of 20 concurrent creations at the last place one succeeds, also at the first count', async (t) => {
  for (let round = 0; round < rounds; round++) {
    const tenant = await box.openTenant();
    const { body } = await tenant.staff.post('/admin/products', { title: 'First' });
    // In odd rounds the count is not kept yet.
    if (round % 2 === 1) await box.owner.query('delete from tenant_quotas where tenant_id = $1', [tenant.id]);
    await box.operator.patch(`/admin/tenants/${tenant.id}`, { quotas: { products: 2 } });
    const create = (at: number) =>
      at % 2 === 0
        ? tenant.staff.post('/admin/products', { title: 'Hat', handle: `hat-${at}` })
        : tenant.staff.post(`/admin/products/${body.id}/duplicate`, { handle: `hat-${at}` });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create(at)));
    t.strictSame(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)]);
    t.ok(answers.every(({ status, body: { code } }) => status === 201 || code === 'quota_exceeded'));
    t.equal((await tenant.staff.get('/admin/products')).body.items.length, 2);
  }
});

t.test('creations and deletions at the same time leave the exact count', async (t) => {
  for (let round = 0; round < rounds; round++) {
    const tenant = await box.openTenant();
    const create = () => tenant.staff.post('/admin/products', { title: 'Hat' });
    const before = await Promise.all([create(), create(), create(), create()]);
    if (round % 2 === 1) await box.owner.query('delete from tenant_quotas where tenant_id = $1', [tenant.id]);
    const removals = before.map(
      ({ body }) =>
        () =>
          tenant.staff.delete(`/admin/products/${body.id}`),
    );
    const copies = before.map(
      ({ body }) =>
        () =>
          tenant.staff.post(`/admin/products/${body.id}/duplicate`),
    );
    const answers = await Promise.all([...removals, create, create, ...copies].map((call) => call()));
    t.ok(answers.every(({ status }) => [201, 204, 404].includes(status)));
    const stored = (await tenant.staff.get('/admin/products?limit=100')).body.items.length;
    const { items } = (await tenant.staff.get(`/admin/tenants/${tenant.id}/quotas`)).body;
    const used = items.flatMap(({ name, used }: { name: string; used: number }) => (name === 'products' ? used : []));
    t.strictSame(used, [stored]);
  }
});
