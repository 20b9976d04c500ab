/**
 * Products for staff: created, changed, duplicated and deleted.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'product'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });

const shirt = {
  title: 'Linen shirt',
  options: [
    { name: 'Size', values: ['S', 'M'] },
    { name: 'Colour', values: ['Red', 'Blue'] },
  ],
};

async function createProduct(body: Record<string, unknown>, tenant: TestTenant = box) {
  const created = await tenant.staff.post('/admin/products', body);
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body;
}

async function eventsOf(id: string): Promise<string[]> {
  const rows = await box.db.query<{ type: string }>(
    'select type from event_outbox where tenant_id = $1 and resource_id = $2 order by id',
    [id],
  );
  return rows.map(({ type }) => type);
}

const titles = (product: { variants: { title: string }[] }) => product.variants.map(({ title }) => title);

t.test('a product without options gets one variant', async (t) => {
  const created = await box.staff.post('/admin/products', { title: 'Gift wrap' });
  t.match(created, {
    status: 201,
    body: {
      handle: 'gift-wrap',
      title: 'Gift wrap',
      description: '',
      status: 'draft',
      metadata: {},
      options: exactly([]),
    },
  });
  t.equal(created.headers.get('location'), `/admin/products/${created.body.id}`);
  t.match(
    created.body.variants,
    exactly([{ title: 'Default', sku: null, weight: null, options: [], price: null, position: 0 }]),
  );
  t.equal(created.body.variants.length, 1);
  t.strictSame((await box.staff.get(`/admin/products/${created.body.id}`)).body, created.body);
  t.strictSame(await eventsOf(created.body.id), ['product.created']);
});

t.test('with options but no variants, one variant is created for each combination', async (t) => {
  const created = await createProduct(shirt);
  t.strictSame(titles(created), ['S / Red', 'S / Blue', 'M / Red', 'M / Blue']);
  t.match(
    created.variants[1].options,
    exactly([
      { name: 'Size', value: 'S' },
      { name: 'Colour', value: 'Blue' },
    ]),
  );
  t.match(created.options, exactly([{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }, { name: 'Colour' }]));
});

t.test('variants are created as requested', async (t) => {
  const variant = {
    title: 'Small',
    sku: 'L-S',
    barcode: '4006381333931',
    weight: 210,
    hsCode: '620520',
    originCountry: 'PT',
    options: [{ name: 'size', value: 's' }],
  };
  const created = await createProduct({
    title: 'Asked',
    status: 'published',
    description: 'Long',
    metadata: { supplier: 7, tags: ['a'] },
    options: [{ name: 'Size', values: ['S', 'M', 'L'] }],
    variants: [variant, { options: [{ name: 'Size', value: 'L' }] }],
  });
  t.match(created, { status: 'published', description: 'Long', metadata: { supplier: 7, tags: exactly(['a']) } });
  t.match(
    created.variants,
    exactly([
      { ...variant, options: [{ name: 'Size', value: 'S' }] },
      { title: 'L', sku: null },
    ]),
  );
});

t.test('an inconsistent body is rejected with the field, and creates nothing', async (t) => {
  const size = { name: 'Size', values: ['S', 'M'] };
  const chosen = (value: string) => ({ options: [{ name: 'Size', value }] });
  const many = Array.from({ length: 16 }, (_, index) => String(index));
  const cases: [body: Record<string, unknown>, pointer: string][] = [
    [{}, '/title'],
    [{ title: '' }, '/title'],
    [{ title: 'X', handle: 'No handle' }, '/handle'],
    [{ title: 'X', handle: '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001' }, '/handle'],
    [{ title: 'X', status: 'sold' }, '/status'],
    [{ title: 'X', options: [size, { name: 'SIZE', values: ['1'] }] }, '/options/1/name'],
    [{ title: 'X', options: [{ name: 'Size', values: ['S', 's'] }] }, '/options/0/values/1'],
    [{ title: 'X', options: [{ name: 'Size', values: [] }] }, '/options/0/values'],
    [
      {
        title: 'X',
        options: [
          { name: 'A', values: many },
          { name: 'B', values: many },
        ],
      },
      '/options',
    ],
    [{ title: 'X', variants: [] }, '/variants'],
    [{ title: 'X', variants: [{}, {}] }, '/variants/1/options'],
    [{ title: 'X', variants: [chosen('S')] }, '/variants/0/options/0/name'],
    [{ title: 'X', options: [size], variants: [{}] }, '/variants/0/options'],
    [{ title: 'X', options: [size], variants: [chosen('XL')] }, '/variants/0/options/0/value'],
    [{ title: 'X', options: [size], variants: [chosen('S'), chosen('S')] }, '/variants/1/options'],
    [
      { title: 'X', options: [size], variants: [{ options: [...chosen('S').options, ...chosen('M').options] }] },
      '/variants/0/options/1/name',
    ],
    [
      {
        title: 'X',
        options: [size],
        variants: [
          { ...chosen('S'), sku: 'A' },
          { ...chosen('M'), sku: 'A' },
        ],
      },
      '/variants/1/sku',
    ],
    [{ title: 'X', variants: [{ weight: -1 }] }, '/variants/0/weight'],
    [{ title: 'X', variants: [{ weight: 99_999_999 }] }, '/variants/0/weight'],
    [{ title: 'X', variants: [{ hsCode: '6205.20' }] }, '/variants/0/hsCode'],
    [{ title: 'X', variants: [{ originCountry: 'EU' }] }, '/variants/0/originCountry'],
    [{ title: 'X', price: 1 }, '/price'],
  ];
  for (const [body, pointer] of cases) {
    const refused = await box.staff.post('/admin/products', body);
    t.match(
      refused,
      { status: 400, body: { code: 'invalid_request', errors: exactly([{ pointer }]) } },
      JSON.stringify(body),
    );
  }
  t.strictSame((await box.db.table('products').where('title', 'X')).length, 0);
});

t.test('text that PostgreSQL cannot store is rejected with 400', async (t) => {
  t.match(await box.staff.post('/admin/products', { title: 'a\u0000b' }), { status: 400 });
  t.match(await box.staff.post('/admin/products', { title: 'X', metadata: { a: '\u0000' } }), { status: 400 });
});

t.test('a handle is made from the title or requested, and is unique', async (t) => {
  const cases: [title: string, handle: string][] = [
    ['Crème brûlée — N° 5!', 'creme-brulee-n-5'],
    ['Crème brûlée — N° 5!', 'creme-brulee-n-5-2'],
    ['Crème brûlée — N° 5!', 'creme-brulee-n-5-3'],
    ['日本', 'product'],
    ['x'.repeat(200), 'x'.repeat(100)],
    ['0198f5a2 7c1e 7b5a 9f51 3f6a52a1c001', '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001-2'],
  ];
  for (const [title, handle] of cases) t.equal((await createProduct({ title })).handle, handle);

  const first = await createProduct({ title: 'One', handle: 'the-one' });
  const again = await box.staff.post('/admin/products', { title: 'Two', handle: 'the-one' });
  t.match(again, { status: 409, body: { code: 'product_handle_taken' } });
  const other = await createProduct({ title: 'Two' });
  t.match(await box.staff.patch(`/admin/products/${other.id}`, { handle: 'the-one' }), { status: 409 });
  t.match(await box.staff.patch(`/admin/products/${first.id}`, { handle: 'the-one' }), { status: 200 });
  t.match(await box.staff.patch(`/admin/products/${first.id}`, { handle: first.id }), { status: 400 });

  await box.staff.delete(`/admin/products/${first.id}`);
  t.match(
    await box.staff.patch(`/admin/products/${other.id}`, { handle: 'the-one' }),
    { status: 200 },
    'available again',
  );
  const tenant = await box.openTenant();
  t.equal(
    (await createProduct({ title: 'Theirs', handle: 'the-one' }, tenant)).handle,
    'the-one',
    'another tenant may use it too',
  );
});

t.test('products created concurrently from one title get different handles', async (t) => {
  const created = await Promise.all([1, 2, 3, 4].map(() => createProduct({ title: 'At once' })));
  t.strictSame(created.map(({ handle }) => handle).sort(), ['at-once', 'at-once-2', 'at-once-3', 'at-once-4']);
});

t.test('of products created concurrently with one handle or SKU, one succeeds', async (t) => {
  const sameHandle = await Promise.all(
    [1, 2, 3, 4].map(() => box.staff.post('/admin/products', { title: 'Race', handle: 'race' })),
  );
  t.strictSame(sameHandle.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  const options = [{ name: 'Size', values: ['S', 'M'] }];
  const variants = ['S', 'M'].map((value) => ({ sku: `RACE-${value}`, options: [{ name: 'Size', value }] }));
  const sameSku = await Promise.all(
    [1, 2, 3, 4].map((turn) =>
      box.staff.post('/admin/products', {
        title: `Sku ${turn}`,
        options,
        variants: turn % 2 ? variants : [...variants].reverse(),
      }),
    ),
  );
  t.strictSame(sameSku.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  t.ok(sameSku.every(({ status, body }) => status === 201 || body.code === 'sku_taken'));
  t.equal((await box.db.table('products').where('title', 'like', 'Sku %')).length, 1);
});

t.test('a product is changed; empty changes and unknown ids are rejected', async (t) => {
  const { id, variants, updatedAt } = await createProduct(shirt);
  const path = `/admin/products/${id}`;
  const patch = { title: 'Cotton shirt', description: 'Soft', status: 'archived', metadata: { a: 1 } };
  const changed = await box.staff.patch(path, patch);
  t.match(changed, { status: 200, body: { ...patch, handle: /^linen-shirt/ } });
  t.strictSame(changed.body.variants, variants);
  t.ok(changed.body.updatedAt > updatedAt);
  t.strictSame(await eventsOf(id), ['product.created', 'product.updated']);
  t.match(await box.staff.patch(path, {}), { status: 400 });
  t.match(await box.staff.patch(path, { status: null }), { status: 400 });
  const unknown = '/admin/products/0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';
  t.match(await box.staff.patch(unknown, patch), { status: 404, body: { code: 'not_found' } });
  t.match(await box.staff.get(unknown), { status: 404 });
  t.match(await box.staff.get('/admin/products/linen-shirt'), { status: 404 });
});

t.test('a deleted product is 404 for everyone, and its SKUs are available', async (t) => {
  const { id, variants } = await createProduct({
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
  t.strictSame(await eventsOf(id), ['product.created', 'product.deleted']);
  t.equal((await createProduct({ title: 'Next', variants: [{ sku: 'SHORT' }] })).variants[0].sku, 'SHORT');
  t.equal((await box.db.table('products').where({ id })).length, 1, 'the row remains for orders');
});

t.test('a product has the default tax category until it is given another', async (t) => {
  const { id, taxCategory } = await createProduct({ title: 'Novel', status: 'published' });
  const path = `/admin/products/${id}`;
  t.equal(taxCategory, null);
  t.match(await box.staff.patch(path, { taxCategory: 'books' }), { status: 200, body: { taxCategory: 'books' } });
  t.match(await box.staff.patch(path, { title: 'Poems' }), { status: 200, body: { taxCategory: 'books' } });
  t.match(await box.staff.patch(path, { taxCategory: 'Not a code' }), { status: 400 });
  const shown = await box.visitor().get(`/products/${id}`);
  t.match(shown, { status: 200, body: { title: 'Poems', taxCategory: undefined } }, 'shoppers do not see it');
  t.match(await box.staff.patch(path, { taxCategory: null }), { status: 200, body: { taxCategory: null } });
  t.equal((await createProduct({ title: 'Atlas', taxCategory: 'maps' })).taxCategory, 'maps');
});

t.test('a product has the default shipping profile until it is given another', async (t) => {
  const { id, shippingProfile } = await createProduct({ title: 'Sofa', status: 'published' });
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
  t.equal((await createProduct({ title: 'Bed', shippingProfile: 'freight' })).shippingProfile, 'freight');
});

t.test('a copy is a draft with the same options and variants, without SKUs', async (t) => {
  const original = await createProduct({
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
  for (const title of ['Red hat', 'Blue hat', '100% wool', 'Scarf']) await createProduct({ title }, tenant);
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
