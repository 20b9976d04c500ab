/**
 * Rich texts of products, categories and collections: responses have sanitised HTML, also of rows from earlier releases.
 */
import { bodyOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'product', 'category', 'collection'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'growth' });
const description = '<p onclick="alert(1)">Woven in <b>Portugal</b>.<script>alert(1)</script></p>';
const safe = '<p>Woven in <b>Portugal</b>.</p>';

const kinds: { path: string; table: string; create: object }[] = [
  { path: 'products', table: 'products', create: { title: 'Shirt', status: 'published' } },
  { path: 'categories', table: 'categories', create: { name: 'Shirts' } },
  { path: 'collections', table: 'collections', create: { title: 'Shirts' } },
];
for (const { path, table, create } of kinds) {
  t.test(`the descriptions of ${path}`, async (t) => {
    const tenant = await box.openTenant();
    const { staff } = tenant;
    const made = await bodyOf(staff.post(`/admin/${path}`, { ...create, description }));
    t.equal(made.description, safe, 'created');
    t.equal((await bodyOf(staff.patch(`/admin/${path}/${made.id}`, { description }))).description, safe, 'changed');
    const [row] = await box.owner.query<{ description: string }>(
      `select description from ${table} where tenant_id = $1`,
      [tenant.id],
    );
    t.equal(row?.description, safe, 'so it is stored');
    const long = `<div>${description}</div>`.repeat(150);
    const longSafe = `<div>${safe}</div>`.repeat(150);
    t.equal((await bodyOf(staff.patch(`/admin/${path}/${made.id}`, { description: long }))).description, longSafe);
    // As releases have stored it that did not sanitise.
    const old = '<img src=x onerror=alert(1)>Fish & chips';
    await box.owner.query(`update ${table} set description = $2 where tenant_id = $1`, [tenant.id, old]);
    const read = '<img src="x" />Fish &amp; chips';
    const visitor = tenant.visitor();
    t.equal((await bodyOf(visitor.get(`/${path}/${made.handle}`))).description, read, 'for shoppers');
    t.equal((await bodyOf(staff.get(`/admin/${path}/${made.id}`))).description, read, 'for staff');
    for (const list of [`/admin/${path}`, ...(path === 'categories' ? [] : [`/${path}`])]) {
      const { items } = await bodyOf((list.startsWith('/admin') ? staff : visitor).get(list));
      t.equal(items[0].description, read, list);
    }
    const { headers } = await staff.get(`/admin/${path}/${made.id}`);
    const ifMatch = { headers: { 'if-match': headers.get('etag') ?? '' } };
    t.match(await staff.patch(`/admin/${path}/${made.id}`, { metadata: { a: 1 } }, ifMatch), { status: 200 });
    const change = (text: string) => staff.patch(`/admin/${path}/${made.id}`, { description: text });
    const tooLong = { status: 400, body: { errors: { 0: { pointer: '/description' } } } };
    for (const text of ['x'.repeat(20_001), `<p>${'x'.repeat(20_001)}</p>`, `<P>${'x'.repeat(19_996)}</p>`]) {
      t.match(await change(text), tooLong, text.slice(0, 5));
    }
    t.match(await change(`<i>${'"'.repeat(19_990)}</i>${'<script></script>'.repeat(6000)}`), tooLong, 'not sanitised');
    const grow = [
      `<p>${'&'.repeat(19_993)}</p>`,
      `<b title='${'"'.repeat(19_980)}'>a</b>`,
      '<br>'.repeat(5000),
      '<a target=_blank>'.repeat(90) + '</p>'.repeat(4000),
      `<script></script>${'&'.repeat(19_983)}`,
      `${'a < b & c > d '.repeat(1428)}`,
    ];
    for (const text of grow) {
      t.ok(text.length <= 20_000);
      const { description: once } = await bodyOf(change(text));
      t.ok(once.length > 20_000 && once.length <= 120_000, `${once.length}`);
      t.equal((await bodyOf(change(once))).description, once, `what is read can be written: ${once.slice(0, 20)}`);
    }
  });
}

t.test('products of a category and of a collection, and selected fields', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const product = await bodyOf(staff.post('/admin/products', { title: 'Shirt', status: 'published', description }));
  const category = await bodyOf(staff.post('/admin/categories', { name: 'Shirts' }));
  await bodyOf(staff.put(`/admin/categories/${category.id}/products`, { productIds: [product.id] }));
  await bodyOf(staff.post('/admin/collections', { title: 'Summer', productIds: [product.id] }));
  const visitor = tenant.visitor();
  for (const path of ['/categories/shirts', '/collections/summer']) {
    const { products } = await bodyOf(visitor.get(path));
    t.equal(products.items[0].description, safe, path);
  }
  t.strictSame((await bodyOf(visitor.get('/products?fields=description'))).items, [{ description: safe }]);
});

t.test('the document says that they are sanitised HTML', async (t) => {
  const { components } = await bodyOf(box.visitor().get('/docs/json'));
  for (const name of ['Product', 'AdminProduct', 'Category', 'AdminCategory', 'Collection', 'AdminCollection']) {
    const written = components.schemas[name].properties.description;
    t.match(written, { contentMediaType: 'text/html', description: /^Sanitised HTML/ }, name);
    t.equal(written.maxLength, undefined, 'what is escaped is longer');
  }
  for (const name of ['CreateProduct', 'ChangeProduct', 'CreateCategory', 'ChangeCollection']) {
    t.match(
      components.schemas[name].properties.description,
      { maxLength: 120_000, description: /^HTML.* At most 20,000 characters/ },
      name,
    );
  }
});
