/**
 * Products that staff create: their variants and handles, and bodies that are rejected.
 */
import { createTestBox, eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createProduct, packages, shirt } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

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
  t.strictSame(await eventTypesOf(box, created.body.id), ['product.created']);
});

t.test('with options but no variants, one variant is created for each combination', async (t) => {
  const created = await createProduct(box, shirt);
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
  const created = await createProduct(box, {
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
    [{ title: ' ' }, '/title'],
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
    ['日本', 'ri-ben'],
    ['!', 'product'],
    ['x'.repeat(200), 'x'.repeat(100)],
    ['0198f5a2 7c1e 7b5a 9f51 3f6a52a1c001', '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001-2'],
  ];
  for (const [title, handle] of cases) t.equal((await createProduct(box, { title })).handle, handle);

  const first = await createProduct(box, { title: 'One', handle: 'the-one' });
  const again = await box.staff.post('/admin/products', { title: 'Two', handle: 'the-one' });
  t.match(again, { status: 409, body: { code: 'product_handle_taken' } });
  const other = await createProduct(box, { title: 'Two' });
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
    (await createProduct(tenant, { title: 'Theirs', handle: 'the-one' })).handle,
    'the-one',
    'another tenant may use it too',
  );
});

t.test('products created concurrently from one title get different handles', async (t) => {
  const created = await Promise.all([1, 2, 3, 4].map(() => createProduct(box, { title: 'At once' })));
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
