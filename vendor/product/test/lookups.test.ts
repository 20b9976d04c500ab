/**
 * Lookups of products and variants for other packages.
 */

import { createTestBox, extendBox } from '@carton/runtime/testing';
import t from 'tap';
import {
  findProductIds,
  findVariants,
  hasProductOfShippingProfile,
  hasProductOfTaxCategory,
  listProductsByRule,
  listPublishedProducts,
  variantCreatedListeners,
} from '../index.ts';
import type { ProductCondition } from '../rules/schemas.ts';
import { packages, publishProduct } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

t.test('a tax category is in use while a product has it', async (t) => {
  const { id } = await publishProduct(box, { title: 'Novel', taxCategory: 'books' });
  const other = await box.openTenant();
  t.strictSame(
    [await hasProductOfTaxCategory(box.db, 'books'), await hasProductOfTaxCategory(box.db, 'maps')],
    [true, false],
  );
  t.notOk(await hasProductOfTaxCategory(other.db, 'books'));
  await box.staff.delete(`/admin/products/${id}`);
  t.notOk(await hasProductOfTaxCategory(box.db, 'books'));
});

t.test('a shipping profile is in use while a product has it', async (t) => {
  const { id } = await publishProduct(box, { title: 'Sofa', shippingProfile: 'freight' });
  const other = await box.openTenant();
  const inUse = (db: typeof box.db, code: string) => hasProductOfShippingProfile(db, code);
  t.strictSame([await inUse(box.db, 'freight'), await inUse(box.db, 'letters')], [true, false]);
  t.notOk(await inUse(other.db, 'freight'));
  await box.staff.delete(`/admin/products/${id}`);
  t.notOk(await inUse(box.db, 'freight'));
});

t.test("a tenant's variants are found by id, deleted ones too", async (t) => {
  const sold = await publishProduct(box, {
    title: 'Sold',
    taxCategory: 'books',
    shippingProfile: 'bulky',
    minQuantity: 1,
    maxQuantity: null,
    quantityStep: 1,
    variants: [{ title: 'One', sku: 'SOLD', weight: 7 }],
  });
  const deleted = await publishProduct(box, { title: 'Gone', status: 'draft' });
  await box.staff.delete(`/admin/products/${deleted.id}`);
  const ids = [sold.variants[0].id, deleted.variants[0].id];
  const found = await findVariants(box.db, [...ids, unknown]);
  t.equal(found.size, 2);
  t.strictSame(found.get(ids[0]), {
    id: ids[0],
    productId: sold.id,
    sku: 'SOLD',
    title: 'One',
    productTitle: 'Sold',
    productHandle: 'sold',
    productStatus: 'published',
    published: true,
    isScheduled: false,
    taxCategory: 'books',
    shippingProfile: 'bulky',
    minQuantity: 1,
    maxQuantity: null,
    quantityStep: 1,
    weight: 7,
    requiresShipping: true,
    deleted: false,
    hidden: false,
  });
  t.match(found.get(ids[1]), { deleted: true, weight: null, sku: null, productStatus: 'draft' });
  t.strictSame([...(await findProductIds(box.db, [sold.id, deleted.id, unknown]))], [sold.id]);
  const other = await box.openTenant();
  t.equal((await findVariants(other.db, ids)).size, 0);
  t.equal((await findProductIds(other.db, [sold.id])).size, 0);
  t.equal((await findVariants(box.db, [])).size, 0);
  t.equal((await findProductIds(box.db, [])).size, 0);
});

t.test('published products are read in the requested order', async (t) => {
  const one = await publishProduct(box, { title: 'First' });
  const draft = await publishProduct(box, { title: 'Draft', status: 'draft' });
  const two = await publishProduct(box, { title: 'Second' });
  const ids = [two.id, draft.id, unknown, one.id];
  const read = async (limit?: number) => (await listPublishedProducts(box.db, ids, {}, limit)).map(({ id }) => id);
  t.strictSame(await read(), [two.id, one.id]);
  t.strictSame(await read(1), [two.id]);
  t.strictSame(await listPublishedProducts(box.db, [], {}), []);
});

t.test('listeners are called in the transaction that creates variants', async (t) => {
  const calls: string[][] = [];
  let refuse = false;
  const listener = variantCreatedListeners.with(async (db, ids) => {
    t.ok(db.inTransaction);
    t.equal((await findVariants(db, ids)).size, ids.length, 'the variants exist');
    if (refuse) throw new Error('no room');
    calls.push(ids);
  });
  extendBox(t, box, [listener]);

  const product = await publishProduct(box, { title: 'Told', options: [{ name: 'Size', values: ['S', 'M', 'L'] }] });
  const ids = (variants: { id: string }[]) => variants.map(({ id }) => id).sort();
  t.strictSame(calls.shift()?.sort(), ids(product.variants), 'once with all variants of a product');
  await box.staff.delete(`/admin/variants/${product.variants[2].id}`);
  const added = await box.staff.post(`/admin/products/${product.id}/variants`, {
    options: [{ name: 'Size', value: 'L' }],
  });
  t.strictSame(calls.shift(), [added.body.id]);
  const copy = await box.staff.post(`/admin/products/${product.id}/duplicate`);
  t.strictSame(calls.shift()?.sort(), ids(copy.body.variants));

  refuse = true;
  t.equal((await box.staff.post('/admin/products', { title: 'Refused' })).status, 500);
  t.equal(
    (await box.db.table('products').where('title', 'Refused')).length,
    0,
    'a listener that throws rolls everything back',
  );
});

t.test('a rule lists the published products for which it holds', async (t) => {
  const tenant = await box.openTenant();
  const put = async (title: string, sku: string | null, colour: string, status = 'published') =>
    tenant.staff.post('/admin/products', {
      title,
      status,
      options: [{ name: 'Colour', values: [colour] }],
      variants: [{ sku, options: [{ name: 'Colour', value: colour }] }],
    });
  await put('Linen shirt', 'LIN-1', 'Red');
  await put('Linen trousers', 'LIN-2', 'Blue');
  await put('100% cotton', 'COT-1', 'Red');
  await put('Linen draft', 'LIN-3', 'Red', 'draft');
  const deleted = await put('Linen gone', 'LIN-4', 'Red');
  await tenant.staff.delete(`/admin/products/${deleted.body.id}`);
  const twoColours = await put('Two colours', null, 'Green');
  const deletedVariantId = twoColours.body.variants[0].id;
  await tenant.staff.patch(`/admin/products/${twoColours.body.id}/options/${twoColours.body.options[0].id}`, {
    values: [twoColours.body.options[0].values[0], { value: 'Black' }],
  });
  await tenant.staff.post(`/admin/products/${twoColours.body.id}/variants`, {
    options: [{ name: 'Colour', value: 'Black' }],
  });
  await tenant.staff.delete(`/admin/variants/${deletedVariantId}`);

  const condition = (text: string): ProductCondition => {
    const [field, operator, value] = text.split(' ');
    return { field, operator, value } as ProductCondition;
  };
  const cases: [match: 'all' | 'any', conditions: string[], titles: string[]][] = [
    ['all', ['title contains LINEN'], ['Linen trousers', 'Linen shirt']],
    ['all', ['title contains %'], ['100% cotton']],
    ['all', ['title starts_with lin', 'option_value equals red'], ['Linen shirt']],
    ['any', ['sku starts_with cot', 'option_value equals blue'], ['100% cotton', 'Linen trousers']],
    ['all', ['handle equals linen-shirt'], ['Linen shirt']],
    ['all', ['handle equals linen'], []],
    ['any', ['sku contains LIN-3', 'sku contains LIN-4'], []],
    ['all', ['option_value contains gree'], []],
    ['all', ['option_value contains lack'], ['Two colours']],
  ];
  for (const [match, conditions, expected] of cases) {
    const rule = { match, conditions: conditions.map(condition) };
    const { items } = await listProductsByRule(tenant.db, rule, { limit: 10 }, {});
    t.strictSame(
      items.map(({ title }) => title),
      expected,
      `${match} of ${conditions.join(', ')}`,
    );
  }
  const rule = { match: 'any' as const, conditions: [condition('title contains n')] };
  const first = await listProductsByRule(tenant.db, rule, { limit: 2 }, {});
  const second = await listProductsByRule(tenant.db, rule, { limit: 2, cursor: first.nextCursor as string }, {});
  t.strictSame(
    [first, second].map(({ items }) => items.map(({ title }) => title)),
    [['100% cotton', 'Linen trousers'], ['Linen shirt']],
    'pages are full',
  );
  t.equal(second.nextCursor, null);
  t.strictSame(
    (await listProductsByRule(box.db, rule, { limit: 100 }, {})).items.filter(({ title }) => /cotton/.test(title)),
    [],
  );
});
