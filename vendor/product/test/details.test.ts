/**
 * Details of products (brand, type, attributes, texts for search engines) and dimensions of variants.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t);
const { staff } = box;
const visitor = box.visitor();

const details = {
  brand: 'Alder',
  type: 'Shirt',
  attributes: [
    { name: 'Material', value: 'Linen' },
    { name: 'Care', value: 'Wash at 30 °C' },
    { name: 'Material', value: 'Cotton' },
  ],
  seoTitle: 'Linen shirts',
  seoDescription: 'Shirts of washed linen.',
};
const unset = { brand: null, type: null, attributes: [], seoTitle: null, seoDescription: null };
const sizes = { length: 320, width: 240, height: 0 };
const noSizes = { length: null, width: null, height: null };

type Body = Record<string, unknown>;
const detailsOf = ({ brand, type, attributes, seoTitle, seoDescription }: Body) => ({
  ...{ brand, type, attributes, seoTitle, seoDescription },
});
const sizesOf = ({ variants }: Body) =>
  (variants as Body[]).map(({ length, width, height }) => ({ length, width, height }));

async function create(title: string, fields: object = {}) {
  const { status, body } = await staff.post('/admin/products', { title, status: 'published', ...fields });
  t.equal(status, 201);
  return body;
}

t.test('staff set details and dimensions, and shoppers see them', async (t) => {
  const created = await create('Shirt', { ...details, variants: [sizes] });
  const path = `/admin/products/${created.id}`;
  for (const body of [
    created,
    (await staff.get(path)).body,
    (await visitor.get('/products/shirt')).body,
    (await visitor.get('/products?handle=shirt')).body.items[0],
    (await staff.post(`${path}/duplicate`)).body,
  ]) {
    t.strictSame(detailsOf(body), details);
    t.strictSame(sizesOf(body), [sizes]);
  }
  t.strictSame(detailsOf((await staff.patch(path, { title: 'Same' })).body), details, 'a change of something else');
  t.strictSame(detailsOf((await staff.patch(path, unset)).body), unset);
  const variant = `/admin/variants/${created.variants[0].id}`;
  t.match(await staff.patch(variant, { ...noSizes, height: 7 }), { status: 200, body: { ...noSizes, height: 7 } });
  const { body } = await visitor.get(`/variants/${created.variants[0].id}`);
  t.strictSame(sizesOf({ variants: [body] }), [{ ...noSizes, height: 7 }]);
  const added = await staff.post(`${path}/options`, { name: 'Size', values: ['S', 'M'] });
  t.equal(added.status, 201);
  const choice = { options: [{ name: 'Size', value: 'M' }], ...sizes };
  t.match(await staff.post(`${path}/variants`, choice), { status: 201, body: sizes });
});

t.test('without them, details are empty', async (t) => {
  const body = await create('Plain');
  t.strictSame(detailsOf(body), unset);
  t.strictSame(sizesOf(body), [noSizes]);
});

t.test('details are bounded', async (t) => {
  const attributes = (count: number) => Array.from({ length: count }, () => ({ name: 'Care', value: 'No' }));
  for (const wrong of [
    { brand: 'x'.repeat(121) },
    { type: 'x'.repeat(121) },
    { seoTitle: 'x'.repeat(201) },
    { seoDescription: 'x'.repeat(501) },
    { attributes: null },
    { attributes: attributes(51) },
    { attributes: [{ name: 'Care' }] },
    { attributes: [{ name: '', value: 'No' }] },
    { attributes: [{ name: 'x'.repeat(121), value: 'No' }] },
    { attributes: [{ name: 'Care', value: 'x'.repeat(501) }] },
    { variants: [{ length: -1 }] },
    { variants: [{ width: 1.5 }] },
    { variants: [{ height: 100_001 }] },
  ]) {
    t.match(await staff.post('/admin/products', { title: 'Wrong', ...wrong }), { status: 400 }, JSON.stringify(wrong));
  }
  t.match(await staff.post('/admin/products', { title: 'Most', attributes: attributes(50) }), { status: 201 });
});

t.test('brand and type filter lists, with search, sort and cursor', async (t) => {
  const tenant = await box.openTenant();
  const shopper = tenant.visitor();
  const add = (title: string, brand: string | null, type: string | null, status = 'published') =>
    tenant.staff.post('/admin/products', { title, brand, type, status });
  await add('Coat D', 'Alder', 'Coat');
  await add('Shirt C', 'Alder', 'Shirt');
  await add('Shirt B', 'Birch', 'Shirt');
  await add('Shirt A', 'Alder', 'Shirt');
  await add('Other E', null, null);
  await add('Shirt F', 'Alder', 'Shirt', 'draft');
  const titles = async (client: typeof shopper, path: string) =>
    (await client.get(path)).body.items.map(({ title }: { title: string }) => title.at(-1)).join('');
  const listed = (query: string) => titles(shopper, `/products?${query}`);
  t.equal(await listed('brand=Alder'), 'ACD');
  t.equal(await listed('brand=Alder&sort=oldest'), 'DCA');
  t.equal(await listed('type=Shirt&sort=title'), 'ABC');
  t.equal(await listed('brand=Alder&type=Shirt'), 'AC');
  t.equal(await listed('brand=Alder&q=shirt'), 'AC');
  t.equal(await listed('brand=Alder&handle=shirt-b'), '');
  t.equal(await listed('brand=alder'), '', 'the exact brand');
  const { nextCursor } = (await shopper.get('/products?brand=Alder&limit=1')).body;
  t.equal(await listed(`brand=Alder&limit=1&cursor=${nextCursor}`), 'C');
  const managed = (query: string) => titles(tenant.staff, `/admin/products?${query}`);
  t.equal(await managed('brand=Alder'), 'FACD');
  t.equal(await managed('type=Shirt&brand=Birch'), 'B');
  t.equal(await managed('brand=Alder&status=draft'), 'F');
  t.equal(await managed('type=Shirt&q=shirt'), 'FABC');
  t.equal(await titles(visitor, '/products?brand=Birch'), '', 'of another tenant');
});

t.test('brand and type are stored without spaces around them', async (t) => {
  const created = await create('Spaces', { brand: ' Alder ', type: 'Shirt\u00a0' });
  t.match(created, { brand: 'Alder', type: 'Shirt' });
  const blank = await staff.patch(`/admin/products/${created.id}`, { brand: ' ' });
  t.match(blank, { status: 200, body: { brand: null, type: 'Shirt' } });
});
