/**
 * Products of staff: changed, deleted, duplicated and found. Creating them is in `new-products.test.ts`.
 */
import { createTestBox, eventTypesOf } from '@carton/runtime/testing';
import t from 'tap';
import { createProduct, packages, shirt } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

t.test('a product is changed; empty changes and unknown ids are rejected', async (t) => {
  const { id, variants, updatedAt } = await createProduct(box, shirt);
  const path = `/admin/products/${id}`;
  const patch = { title: 'Cotton shirt', description: 'Soft', status: 'archived', metadata: { a: 1 } };
  const changed = await box.staff.patch(path, patch);
  t.match(changed, { status: 200, body: { ...patch, handle: /^linen-shirt/ } });
  t.strictSame(changed.body.variants, variants);
  t.ok(changed.body.updatedAt > updatedAt);
  t.strictSame(await eventTypesOf(box, id), ['product.created', 'product.updated']);
  t.match(await box.staff.patch(path, {}), { status: 400 });
  t.match(await box.staff.patch(path, { status: null }), { status: 400 });
  const unknown = '/admin/products/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
  t.match(await box.staff.patch(unknown, patch), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.get(unknown), { status: 404 });
  t.match(await box.staff.get('/admin/products/linen-shirt'), { status: 404 });
});

t.test('a deleted product is 404 for everyone, and its SKUs are available', async (t) => {
  const { id, variants } = await createProduct(box, {
    title: 'Short life',
    status: 'published',
    variants: [{ sku: 'SHORT' }],
  });
  const path = `/admin/products/${id}`;
  t.match(await box.staff.delete(path), { status: 204 });
  for (const [caller, address] of [
    [box.staff, path],
    [box.staff, `/admin/variants/${variants[0].id}`],
    [box.visitor(), `/products/${id}`],
    [box.visitor(), '/products/short-life'],
    [box.visitor(), `/variants/${variants[0].id}`],
  ] as const) {
    t.match(await caller.get(address), { status: 404 }, address);
  }
  t.match(await box.staff.patch(path, { title: 'Back' }), { status: 404 });
  t.match(await box.staff.delete(path), { status: 404 });
  t.match(await box.staff.post(`${path}/duplicate`), { status: 404 });
  t.match(await box.staff.post(`${path}/variants`, {}), { status: 404 });
  t.strictSame((await box.staff.get('/admin/variants?sku=SHORT')).body.items, []);
  t.strictSame((await box.staff.get('/admin/products?q=short')).body.items, []);
  t.strictSame(await eventTypesOf(box, id), ['product.created', 'product.deleted']);
  t.equal((await createProduct(box, { title: 'Next', variants: [{ sku: 'SHORT' }] })).variants[0].sku, 'SHORT');
  t.equal((await box.db.table('products').where({ id })).length, 1, 'the row remains for orders');
});

t.test('a product has the default tax category until it is given another', async (t) => {
  const { id, taxCategory } = await createProduct(box, { title: 'Novel', status: 'published' });
  const path = `/admin/products/${id}`;
  t.equal(taxCategory, null);
  t.match(await box.staff.patch(path, { taxCategory: 'books' }), { status: 200, body: { taxCategory: 'books' } });
  t.match(await box.staff.patch(path, { title: 'Poems' }), { status: 200, body: { taxCategory: 'books' } });
  t.match(await box.staff.patch(path, { taxCategory: 'Not a code' }), { status: 400 });
  const shown = await box.visitor().get(`/products/${id}`);
  t.match(shown, { status: 200, body: { title: 'Poems', taxCategory: undefined } }, 'shoppers do not see it');
  t.match(await box.staff.patch(path, { taxCategory: null }), { status: 200, body: { taxCategory: null } });
  t.equal((await createProduct(box, { title: 'Atlas', taxCategory: 'maps' })).taxCategory, 'maps');
});

t.test('a product has the default shipping profile until it is given another', async (t) => {
  const { id, shippingProfile } = await createProduct(box, { title: 'Sofa', status: 'published' });
  const path = `/admin/products/${id}`;
  t.equal(shippingProfile, null);
  t.match(await box.staff.patch(path, { shippingProfile: 'bulky' }), {
    status: 200,
    body: { shippingProfile: 'bulky' },
  });
  t.match(await box.staff.patch(path, { title: 'Couch' }), { status: 200, body: { shippingProfile: 'bulky' } });
  t.match(await box.staff.patch(path, { shippingProfile: 'Not a code' }), { status: 400 });
  t.match(await box.visitor().get(`/products/${id}`), { status: 200, body: { shippingProfile: undefined } });
  t.match(await box.staff.patch(path, { shippingProfile: null }), { status: 200, body: { shippingProfile: null } });
  t.equal((await createProduct(box, { title: 'Bed', shippingProfile: 'freight' })).shippingProfile, 'freight');
});

t.test('a copy is a draft with the same options and variants, without SKUs', async (t) => {
  const original = await createProduct(box, {
    ...shirt,
    title: 'Original',
    status: 'published',
    taxCategory: 'books',
    shippingProfile: 'bulky',
    metadata: { a: 1 },
    variants: [
      {
        sku: 'ORIG',
        barcode: '1',
        weight: 5,
        options: [
          { name: 'Size', value: 'S' },
          { name: 'Colour', value: 'Blue' },
        ],
      },
    ],
  });
  const path = `/admin/products/${original.id}/duplicate`;
  const copied = await box.staff.post(path);
  t.match(copied, { status: 201, body: { handle: 'original-copy', title: 'Original (copy)', status: 'draft' } });
  t.equal(copied.headers.get('location'), `/admin/products/${copied.body.id}`);
  t.match(copied.body, {
    taxCategory: 'books',
    shippingProfile: 'bulky',
    metadata: { a: 1 },
    options: original.options.map(({ name }: { name: string }) => ({ name })),
  });
  const [variant] = copied.body.variants;
  t.match(variant, { title: 'S / Blue', sku: null, barcode: null, weight: 5, options: original.variants[0].options });
  t.not(variant.id, original.variants[0].id);
  t.not(copied.body.options[0].values[0].id, original.options[0].values[0].id);

  const copies = await Promise.all([box.staff.post(path, {}), box.staff.post(path)]);
  t.strictSame(copies.map(({ body }) => body.handle).sort(), ['original-copy-2', 'original-copy-3']);
  const named = await box.staff.post(path, { title: 'Other', handle: 'other' });
  t.match(named, { status: 201, body: { title: 'Other', handle: 'other' } });
  t.match(await box.staff.post(path, { handle: 'other' }), { status: 409, body: { code: 'product_handle_taken' } });
});

t.test('products are found by text, handle and status, page by page', async (t) => {
  const tenant = await box.openTenant();
  for (const title of ['Red hat', 'Blue hat', '100% wool', 'Scarf']) await createProduct(tenant, { title });
  const { id } = (await tenant.staff.get('/admin/products?handle=scarf')).body.items[0];
  await tenant.staff.patch(`/admin/products/${id}`, { status: 'published' });
  const found = async (query: string) =>
    (await tenant.staff.get(`/admin/products?${query}`)).body.items.map(({ title }: { title: string }) => title);
  t.strictSame(await found('q=HAT'), ['Blue hat', 'Red hat']);
  t.strictSame(await found('q=%25'), ['100% wool'], 'a percent sign is literal');
  t.strictSame(await found('status=published'), ['Scarf']);
  t.strictSame(await found('status=draft&q=red'), ['Red hat']);
  t.match(await tenant.staff.get('/admin/products?status=sold'), { status: 400 });
  t.match(await tenant.staff.get('/admin/products?colour=red'), { status: 400 });

  const first = (await tenant.staff.get('/admin/products?limit=3')).body;
  const second = (await tenant.staff.get(`/admin/products?limit=3&cursor=${first.nextCursor}`)).body;
  const all = [...first.items, ...second.items].map(({ title }) => title);
  t.strictSame(all, ['Scarf', '100% wool', 'Blue hat', 'Red hat']);
  t.equal(second.nextCursor, null);
});
