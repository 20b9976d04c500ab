/**
 * Former handles of products find them, until shoppers see another product with the handle.
 */
import { createTestBox, raceRounds, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { publishProduct } from './helpers.ts';

const box = await createTestBox(t);

async function create(tenant: TestTenant, title: string, fields: object = {}) {
  const body = await publishProduct(tenant, { title, ...fields });
  return { ...body, path: `/admin/products/${body.id}` };
}

async function handlesOf(tenant: TestTenant, ...names: string[]) {
  const visitor = tenant.visitor();
  const found = [];
  for (const name of names) {
    const { status, body } = await visitor.get(`/products/${name}`);
    found.push(status === 200 ? body.handle : status);
  }
  return found;
}

t.test('a former handle finds the product until another product gets it', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const shirt = await create(tenant, 'Shirt');
  await staff.patch(shirt.path, { handle: 'top' });
  await staff.patch(shirt.path, { handle: 'top' });
  await staff.patch(shirt.path, { handle: 'upper' });
  t.strictSame(await handlesOf(tenant, 'shirt', 'top', 'upper'), ['upper', 'upper', 'upper']);
  const other = await create(tenant, 'Shirt');
  t.equal(other.handle, 'shirt', 'a former handle is free');
  t.strictSame(await handlesOf(tenant, 'shirt', 'top'), ['shirt', 'upper']);
  await staff.patch(other.path, { handle: 'top' });
  t.strictSame(await handlesOf(tenant, 'top', 'shirt'), ['top', 'top'], 'the latest owner has it');
  await staff.patch(shirt.path, { handle: 'shirt' });
  t.strictSame(await handlesOf(tenant, 'shirt', 'upper'), ['shirt', 'shirt'], 'a handle can come back');
  await staff.patch(other.path, { handle: 'last' });
  t.strictSame(await handlesOf(tenant, 'top'), ['last']);
  t.equal((await staff.post(`${other.path}/duplicate`, { handle: 'top' })).status, 201);
  t.strictSame(await handlesOf(tenant, 'top'), ['last'], 'the copy, a draft, has it');
  await staff.delete(other.path);
  t.strictSame(await handlesOf(tenant, 'top', 'last'), [404, 404]);
  await staff.delete(shirt.path);
  t.strictSame(await handlesOf(tenant, 'upper', 'shirt'), [404, 404], 'of a deleted product');
  const left = await tenant.db.query('select handle from product_old_handles where tenant_id = $1');
  t.strictSame(left, [], 'no row is left of a product that is gone');
});

const hidden: [string, object][] = [
  ['a draft', { status: 'draft' }],
  ['an archived product', { status: 'archived' }],
  ['a product of tomorrow', { status: 'published', publishAt: new Date(Date.now() + 86_400_000).toISOString() }],
];
for (const [what, fields] of hidden) {
  t.test(`${what} takes no former handle away`, async (t) => {
    const tenant = await box.openTenant();
    const { staff } = tenant;
    const shirt = await create(tenant, 'Shirt');
    await staff.patch(shirt.path, { handle: 'top' });
    const created = await create(tenant, 'New', { handle: 'shirt', ...fields });
    t.strictSame(await handlesOf(tenant, 'shirt'), ['top'], 'created with it');
    await staff.patch(created.path, { handle: 'other' });
    t.strictSame(await handlesOf(tenant, 'shirt', 'other'), ['top', 404], 'and left it');
    await staff.patch(created.path, { handle: 'shirt' });
    t.strictSame(await handlesOf(tenant, 'shirt'), ['top'], 'renamed to it');
    t.match(await staff.patch(created.path, { status: 'published', publishAt: null }), { status: 200 });
    t.strictSame(await handlesOf(tenant, 'shirt', 'top'), ['shirt', 'top'], 'it is published');
    await staff.patch(created.path, { status: 'draft' });
    t.strictSame(await handlesOf(tenant, 'shirt'), ['top'], 'it is withdrawn');
    await staff.patch(created.path, { status: 'published' });
    await staff.patch(created.path, { handle: 'new' });
    t.strictSame(await handlesOf(tenant, 'shirt', 'top'), ['new', 'top'], 'shoppers knew it there');
    await staff.delete(created.path);
    t.strictSame(await handlesOf(tenant, 'shirt', 'top'), [404, 'top']);
  });
}

t.test('a former handle reveals no draft, and finds it when it is published', async (t) => {
  const tenant = await box.openTenant();
  const draft = await create(tenant, 'Secret', { status: 'draft' });
  await tenant.staff.patch(draft.path, { handle: 'open' });
  t.strictSame(await handlesOf(tenant, 'secret', 'open'), [404, 404]);
  await tenant.staff.patch(draft.path, { status: 'published' });
  t.strictSame(await handlesOf(tenant, 'secret'), ['open']);
  await tenant.staff.patch(draft.path, { status: 'archived' });
  t.strictSame(await handlesOf(tenant, 'secret'), [404]);
});

t.test('a former handle belongs to one tenant', async (t) => {
  const [one, two, third] = [await box.openTenant(), await box.openTenant(), await box.openTenant()];
  for (const tenant of [one, two]) {
    const { path } = await create(tenant, 'Shirt');
    await tenant.staff.patch(path, { handle: `shirt-${tenant.slug}` });
  }
  t.strictSame(await handlesOf(one, 'shirt'), [`shirt-${one.slug}`]);
  t.strictSame(await handlesOf(two, 'shirt'), [`shirt-${two.slug}`]);
  t.strictSame(await handlesOf(third, 'shirt'), [404]);
  await create(one, 'Shirt');
  t.strictSame(await handlesOf(two, 'shirt'), [`shirt-${two.slug}`], 'another tenant took the handle');
});

t.test('a handle that is left and taken concurrently leads to one product', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  for (let round = 0; round < raceRounds; round++) {
    const handle = `wanted-${round}`;
    const owner = await create(tenant, 'Owner', { handle });
    const other = await create(tenant, 'Other');
    const [left, taken, created] = await Promise.all([
      staff.patch(owner.path, { handle: `left-${round}` }),
      staff.patch(other.path, { handle }),
      staff.post('/admin/products', { title: 'New', status: 'published', handle }),
    ]);
    t.equal(left.status, 200);
    t.ok([200, 409].includes(taken.status) && [201, 409].includes(created.status));
    t.ok(taken.status === 409 || created.status === 409, 'one of them at most takes it');
    const isTaken = taken.status === 200 || created.status === 201;
    t.strictSame(await handlesOf(tenant, handle), [isTaken ? handle : `left-${round}`]);
    const rows = await tenant.db.query(
      'select 1 from product_old_handles where tenant_id = $1 and starts_with(handle, $2)',
      [`${handle}${isTaken ? ' ' : ''}`],
    );
    t.equal(rows.length, 1, 'it leads to the former owner once the other one is hidden');
  }
});

const kinds = [
  { path: 'products', fields: { title: 'A', status: 'published' }, hide: { status: 'draft' }, owner: 'product' },
  { path: 'categories', fields: { name: 'A' }, hide: { visible: false }, owner: 'category' },
];
for (const { path, fields, hide, owner } of kinds) {
  t.test(`a box of an earlier release renames one of the ${path} that has another's former handle`, async (t) => {
    const tenant = await box.openTenant();
    const { staff, db } = tenant;
    const found = async () => (await tenant.visitor().get(`/${path}/shirt`)).body.handle ?? null;
    const patch = (id: string, change: object) => staff.patch(`/admin/${path}/${id}`, change);
    const one = (await staff.post(`/admin/${path}`, { ...fields, handle: 'shirt' })).body;
    await patch(one.id, { handle: 'top' });
    for (const way of ['created', 'renamed']) {
      const created = way === 'created' ? { handle: 'shirt' } : { handle: 'other' };
      const { id } = (await staff.post(`/admin/${path}`, { ...fields, ...created })).body;
      if (way === 'renamed') await patch(id, { handle: 'shirt' });
      t.equal(await found(), 'shirt', way);
      // As that release does it.
      const table = `${owner}_old_handles`;
      await db.query(`update ${path} set handle = $3 where tenant_id = $1 and id = $2`, [id, `${way}-new`]);
      await db.query(`delete from ${table} where tenant_id = $1 and handle = $2`, [`${way}-new`]);
      await db.query(`insert into ${table} (tenant_id, handle, ${owner}_id) values ($1, 'shirt', $2)`, [id]);
      t.equal(await found(), `${way}-new`, 'the last one that had it');
      await patch(id, { handle: 'shirt' });
      t.equal(await found(), 'shirt', 'it has it again');
      await patch(id, hide);
      t.equal(await found(), 'top', 'the one before it is not forgotten');
      await staff.delete(`/admin/${path}/${id}`);
      t.equal(await found(), 'top');
    }
    await staff.delete(`/admin/${path}/${one.id}`);
    t.strictSame(await db.query(`select handle from ${owner}_old_handles where tenant_id = $1`), []);
  });
}
