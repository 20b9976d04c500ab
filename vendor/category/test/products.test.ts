/**
 * Products of categories: set by staff, listed for shoppers by category, and by a category with everything below it.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, createProduct, packages, setProducts, unknownId } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;

type Listed = { body: { items: { title: string }[]; nextCursor: string | null } };
const titlesOf = ({ body }: Listed) => body.items.map(({ title }) => title);

/** All titles of a list, page by page. */
async function everyTitle(tenant: TestTenant, query: string, limit: number): Promise<string[]> {
  const titles: string[] = [];
  let cursor = '';
  for (;;) {
    const page: Listed = await tenant.visitor().get(`/products?${query}&limit=${limit}${cursor}`);
    titles.push(...titlesOf(page));
    if (page.body.nextCursor === null) return titles;
    cursor = `&cursor=${page.body.nextCursor}`;
  }
}

t.test('staff set the products of a category in their order', async (t) => {
  const ids = [await createProduct(box, 'One'), await createProduct(box, 'Two'), await createProduct(box, 'Three')];
  const [one, two, three] = ids as [string, string, string];
  const { path } = await createCategory(box, 'Set');
  const url = `${path}/products`;
  t.strictSame((await staff.get(url)).body, { productIds: [] });
  const set = await staff.put(url, { productIds: [two, one.toUpperCase()] });
  t.strictSame([set.status, set.body], [200, { productIds: [two, one] }]);
  const titles = async () => (await box.visitor().get('/categories/set')).body.products.items.map(titleOf);
  const titleOf = ({ title }: { title: string }) => title;
  t.strictSame(await titles(), ['Two', 'One']);
  await staff.put(url, { productIds: [three, two, one] });
  t.strictSame(await titles(), ['Three', 'Two', 'One']);
  const first = await box.visitor().get('/categories/set?limit=2');
  const second = await box.visitor().get(`/categories/set?limit=2&cursor=${first.body.products.nextCursor}`);
  t.strictSame(
    [first, second].flatMap(({ body }) => body.products.items.map(titleOf)),
    ['Three', 'Two', 'One'],
  );
  t.equal(second.body.products.nextCursor, null);
  await staff.delete(`/admin/products/${two}`);
  t.strictSame((await staff.get(url)).body, { productIds: [three, one] }, 'deleted products are left out');
  t.strictSame(await titles(), ['Three', 'One']);
});

t.test('only what changes is written', async (t) => {
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C']) ids.push(await createProduct(box, title));
  const category = await createCategory(box, 'Kept');
  await setProducts(box, category, ids);
  const versions = () =>
    box.db.query<{ productId: string; xmin: string }>(
      'select product_id, xmin::text from category_products where tenant_id = $1 and category_id = $2 order by position',
      [category.id],
    );
  const [first, second] = await versions();
  await setProducts(box, category, ids.slice(0, 2));
  t.strictSame(await versions(), [first, second]);
});

t.test('unknown products and duplicates are refused', async (t) => {
  const mine = await createProduct(box, 'Mine');
  const other = await box.openTenant();
  const theirs = await createProduct(other, 'Theirs');
  const deleted = await createProduct(box, 'Gone');
  await staff.delete(`/admin/products/${deleted}`);
  const category = await createCategory(box, 'Refusing');
  await setProducts(box, category, [mine]);
  const cases: [productIds: unknown, pointer: string][] = [
    [[mine, unknownId], '/productIds/1'],
    [[theirs], '/productIds/0'],
    [[deleted], '/productIds/0'],
    [[mine, mine], '/productIds'],
    [[mine, mine.toUpperCase()], '/productIds/1'],
    [undefined, '/productIds'],
  ];
  for (const [productIds, pointer] of cases) {
    const refused = await staff.put(`${category.path}/products`, { productIds });
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(productIds));
  }
  t.strictSame((await staff.get(`${category.path}/products`)).body.productIds, [mine]);
  t.match(await staff.put(`/admin/categories/${unknownId}/products`, { productIds: [] }), { status: 404 });
});

t.test('of two who set the products that they have read, the second is refused', async (t) => {
  const [one, two] = [await createProduct(box, 'First'), await createProduct(box, 'Second')];
  const { path } = await createCategory(box, 'Edited');
  const etag = (await staff.get(`${path}/products`)).headers.get('etag') as string;
  const headers = { 'if-match': etag };
  const set = await staff.put(`${path}/products`, { productIds: [one] }, { headers });
  t.match(set, { status: 200 });
  t.match(await staff.put(`${path}/products`, { productIds: [two] }, { headers }), { status: 412 });
  t.strictSame((await staff.get(`${path}/products`)).body.productIds, [one]);
  const next = { headers: { 'if-match': set.headers.get('etag') as string } };
  t.match(await staff.put(`${path}/products`, { productIds: [two] }, next), { status: 200 });
});

t.test('GET /products?category lists a category with what is below it, each product once', async (t) => {
  const tenant = await box.openTenant();
  const clothes = await createCategory(tenant, 'Clothes');
  const shirts = await createCategory(tenant, 'Shirts', clothes);
  const linen = await createCategory(tenant, 'Linen', shirts);
  const sale = await createCategory(tenant, 'Sale', clothes);
  const secret = await createCategory(tenant, 'Secret', clothes, { visible: false });
  const belowSecret = await createCategory(tenant, 'Below', secret);
  const other = await createCategory(tenant, 'Other');
  const ids: string[] = [];
  const letters = 'EDCBAJIHGF'.split('');
  for (const title of letters) ids.push(await createProduct(tenant, title));
  const draft = await createProduct(tenant, 'Draft', 'draft');
  const hidden = await createProduct(tenant, 'Hidden');
  const elsewhere = await createProduct(tenant, 'Elsewhere');
  await setProducts(tenant, clothes, ids.slice(0, 2));
  await setProducts(tenant, shirts, [...ids.slice(2, 5), ids[0] as string, draft]);
  await setProducts(tenant, linen, [...ids.slice(5, 8), ids[3] as string]);
  await setProducts(tenant, sale, [...ids.slice(6).reverse(), ids[0] as string, ids[3] as string]);
  await setProducts(tenant, secret, [hidden]);
  await setProducts(tenant, belowSecret, [hidden, ids[0] as string]);
  await setProducts(tenant, other, [elsewhere, ids[1] as string]);

  const expected = { newest: letters.toReversed(), oldest: letters, title: letters.toSorted() };
  for (const [sort, titles] of Object.entries(expected)) {
    for (const limit of [1, 3, 10, 100]) {
      t.strictSame(
        await everyTitle(tenant, `category=clothes&sort=${sort}`, limit),
        titles,
        `${sort}, ${limit} a page`,
      );
    }
  }
  t.strictSame(await everyTitle(tenant, `category=${clothes.id.toUpperCase()}`, 4), expected.newest, 'by id');
  t.strictSame(await everyTitle(tenant, 'category=linen&sort=title', 2), ['B', 'H', 'I', 'J']);
  t.strictSame(await everyTitle(tenant, 'category=other', 2), ['Elsewhere', 'D']);
  for (const name of ['secret', 'below', 'nothing', unknownId]) {
    for (const sort of ['newest', 'title']) {
      t.strictSame(await everyTitle(tenant, `category=${name}&sort=${sort}`, 2), [], name);
    }
  }
  t.strictSame(await everyTitle(tenant, 'category=clothes&handle=e', 2), ['E']);
  t.strictSame(await everyTitle(tenant, 'category=clothes&handle=elsewhere', 2), []);
  t.strictSame(await everyTitle(tenant, 'category=clothes&q=e', 2), ['E']);
  t.strictSame(await everyTitle(tenant, 'q=e', 2), ['Elsewhere', 'E']);
  const fields = await tenant.visitor().get('/products?category=linen&fields=title&limit=1');
  t.strictSame(fields.body.items, [{ title: 'H' }]);

  await tenant.staff.patch(shirts.path, { parentId: null });
  t.strictSame(await everyTitle(tenant, 'category=clothes&sort=title', 2), ['B', 'D', 'E', 'F', 'G', 'H', 'I']);
  await tenant.staff.delete(sale.path);
  t.strictSame(await everyTitle(tenant, 'category=clothes', 2), ['D', 'E']);
  t.equal((await tenant.visitor().get('/products?category=')).status, 200, 'an empty filter is none');
  const cursor = (await tenant.visitor().get('/products?category=clothes&limit=1')).body.nextCursor;
  t.match(await tenant.visitor().get(`/products?category=clothes&sort=title&cursor=${cursor}`), { status: 400 });
});

t.test('pages neither repeat nor skip products of the same moment', async (t) => {
  const tenant = await box.openTenant();
  const category = await createCategory(tenant, 'Imported');
  const below = await createCategory(tenant, 'Below', category);
  const createdAt = '2026-03-01T12:00:00.123Z';
  const rows = Array.from({ length: 7 }, (_, index) => ({
    id: `0198f5a2-7c1e-7b5a-9f51-${String(index).padStart(12, '0')}`,
    handle: `p-${index}`,
    title: `${index}`,
    status: 'published',
    createdAt,
  }));
  await tenant.db.insertMany('products', rows);
  const ids = rows.map(({ id }) => id);
  await setProducts(tenant, category, ids.slice(0, 5));
  await setProducts(tenant, below, ids.slice(3));
  t.strictSame(await everyTitle(tenant, 'category=imported', 2), ['6', '5', '4', '3', '2', '1', '0']);
  t.strictSame(await everyTitle(tenant, 'category=imported&sort=oldest', 2), ['0', '1', '2', '3', '4', '5', '6']);
});
