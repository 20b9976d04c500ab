/**
 * The quotas of products and variants: what counts, what frees, and that counting does not read the products.
 */
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import { readingsOf, StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { packages } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const recorder = new StatementRecorder(box.box.database);

const limit = async ({ id }: TestTenant, quotas: Record<string, number | null>) => {
  const { status, body } = await box.operator.patch(`/admin/tenants/${id}`, { quotas });
  if (status !== 200) throw new Error(JSON.stringify(body));
};
const create = ({ staff }: TestTenant, body: object = {}) => staff.post('/admin/products', { title: 'Hat', ...body });
const sizes = (...values: string[]) => ({ options: [{ name: 'Size', values }] });
const usedBy = async ({ staff, id }: TestTenant) => {
  const { items } = (await staff.get(`/admin/tenants/${id}/quotas`)).body;
  const of = (name: string) => items.find((item: { name: string }) => item.name === name).used;
  return [of('products'), of('variants')];
};
const refused = (quota: string, most: number, used: number) => ({
  status: 409,
  body: { code: 'quota_exceeded', quota, limit: most, used },
});

t.test('products are created and duplicated up to the limit; a deletion frees a place', async (t) => {
  const tenant = await box.openTenant();
  await limit(tenant, { products: 2 });
  const [first, second] = [await create(tenant), await create(tenant)];
  t.strictSame([first.status, second.status], [201, 201]);
  const third = await create(tenant);
  t.match(third, refused('products', 2, 2));
  t.equal(
    third.body.detail,
    'The store has 2 products, and its limit is 2: there is no room for 1 more. Delete what is not needed, or ask the ' +
      'operator of the box for a higher limit.',
  );
  t.match(await tenant.staff.post(`/admin/products/${first.body.id}/duplicate`), refused('products', 2, 2));
  t.equal((await tenant.staff.get('/admin/products')).body.items.length, 2, 'nothing is left of what was refused');
  t.strictSame(await usedBy(tenant), [2, 2]);
  t.equal((await tenant.staff.delete(`/admin/products/${second.body.id}`)).status, 204);
  t.equal((await tenant.staff.delete(`/admin/products/${second.body.id}`)).status, 404);
  t.strictSame(await usedBy(tenant), [1, 1]);
  t.equal((await tenant.staff.post(`/admin/products/${first.body.id}/duplicate`)).status, 201);
  t.match(await create(tenant), refused('products', 2, 2));
  t.equal((await create(await box.openTenant())).status, 201, 'another store');
});

t.test('variants of all products have a limit of their own', async (t) => {
  const tenant = await box.openTenant();
  await limit(tenant, { variants: 4 });
  const { body } = await create(tenant, sizes('S', 'M', 'L'));
  t.match(await create(tenant, sizes('S', 'M')), refused('variants', 4, 3));
  t.match(await tenant.staff.post(`/admin/products/${body.id}/duplicate`), refused('variants', 4, 3));
  t.strictSame(await usedBy(tenant), [1, 3], 'the product of refused variants is not counted');
  const other = await create(tenant);
  t.equal(other.status, 201);
  const [small] = body.variants;
  const added = { options: [{ name: 'Size', value: 'S' }] };
  t.equal((await tenant.staff.delete(`/admin/variants/${small.id}`)).status, 204);
  t.equal((await tenant.staff.post(`/admin/products/${body.id}/variants`, added)).status, 201);
  await limit(tenant, { variants: 3 });
  const { id } = (await tenant.staff.get(`/admin/products/${body.id}`)).body.variants[0];
  await tenant.staff.delete(`/admin/variants/${id}`);
  const missing = { options: [{ name: 'Size', value: 'M' }] };
  t.match(await tenant.staff.post(`/admin/products/${body.id}/variants`, missing), refused('variants', 3, 3));
  t.equal((await tenant.staff.delete(`/admin/products/${body.id}`)).status, 204);
  t.strictSame(await usedBy(tenant), [1, 1]);
});

t.test('a limit below the usage keeps what exists and refuses more; null is no limit', async (t) => {
  const tenant = await box.openTenant();
  const ids = [];
  for (let count = 0; count < 3; count++) ids.push((await create(tenant)).body.id);
  await limit(tenant, { products: 1 });
  t.equal((await tenant.staff.get('/admin/products')).body.items.length, 3);
  t.equal((await tenant.staff.patch(`/admin/products/${ids[0]}`, { title: 'Cap' })).status, 200);
  t.match(await create(tenant), refused('products', 1, 3));
  await tenant.staff.delete(`/admin/products/${ids[0]}`);
  await tenant.staff.delete(`/admin/products/${ids[1]}`);
  t.match(await create(tenant), refused('products', 1, 1));
  await limit(tenant, { products: null });
  t.equal((await create(tenant)).status, 201);
});

t.test('the count of a store of an earlier release is made by its first change', async (t) => {
  const tenant = await box.openTenant();
  const ids = [];
  for (let count = 0; count < 3; count++) ids.push((await create(tenant)).body.id);
  await box.owner.query('delete from tenant_quotas where tenant_id = $1', [tenant.id]);
  t.strictSame(await usedBy(tenant), [3, 3]);
  await tenant.staff.delete(`/admin/products/${ids[0]}`);
  t.strictSame(await usedBy(tenant), [2, 2]);
  await box.owner.query('delete from tenant_quotas where tenant_id = $1', [tenant.id]);
  await limit(tenant, { products: 3 });
  t.strictSame([(await create(tenant)).status, (await create(tenant)).status], [201, 409]);
});

t.test('the creation of a product reads as much in a large store as in a small one', async (t) => {
  const tenant = await box.openTenant();
  await limit(tenant, { products: 1_000_000, variants: 1_000_000 });
  const read = async () => {
    const sent = await recorder.record(async () => t.equal((await create(tenant, { handle: undefined })).status, 201));
    const counts = sent.filter(
      ({ text }) => /count\(\*\)/.test(text) && /from products|from product_variants/.test(text),
    );
    const readings = await readingsOf(box.box.database, tenant.id, sent);
    return { counts: counts.length, rows: Math.max(...readings.map(({ rows }) => rows)) };
  };
  await create(tenant);
  await box.owner.query(
    `insert into products (tenant_id, id, handle, title)
     select $1, gen_random_uuid(), 'many-' || number, 'Many' from generate_series(1, 20000) as number`,
    [tenant.id],
  );
  await box.owner.query('analyze products');
  const { counts, rows } = await read();
  t.equal(counts, 0);
  t.ok(rows < 10, `${rows} rows`);
});
