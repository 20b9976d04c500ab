/**
 * Related products, as staff set them and shoppers see them.
 */
import {
  countRoundTrips,
  createTestBox,
  eventsOf,
  exactly,
  raceRounds,
  type TestTenant,
} from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t);
const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

async function create(tenant: TestTenant, title: string, status = 'published') {
  const { body } = await tenant.staff.post('/admin/products', { title, status });
  return { id: body.id as string, path: `/admin/products/${body.id}`, variantId: body.variants[0].id as string };
}

const itemsOf = (...ids: string[]) => ({ items: ids.map((productId) => ({ productId, kind: 'related' })) });
const titlesAt = async (tenant: TestTenant, path: string) =>
  (await tenant.visitor().get(path)).body.items.map((item: { product: { title: string } }) => item.product.title);

t.test('shoppers see the published ones, in order, by kind and with prices', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const shirt = await create(tenant, 'Shirt');
  const [tie, suit, draft, cap] = [
    await create(tenant, 'Tie'),
    await create(tenant, 'Suit'),
    await create(tenant, 'Draft', 'draft'),
    await create(tenant, 'Cap'),
  ];
  await staff.put(`/admin/variants/${tie.variantId}/prices`, { prices: [{ currency: 'EUR', amount: 900 }] });
  t.strictSame((await tenant.visitor().get('/products/shirt/related')).body, { items: [] });
  const items = [
    { productId: suit.id, kind: 'upsell' },
    { productId: draft.id, kind: 'cross_sell' },
    { productId: tie.id, kind: 'cross_sell' },
    { productId: cap.id.toUpperCase() },
  ];
  const set = await staff.put(`${shirt.path}/related`, { items });
  t.equal(set.status, 200);
  const expected = { items: [...items.slice(0, 3), { productId: cap.id, kind: 'related' }] };
  t.strictSame(set.body, expected);
  t.strictSame((await staff.get(`${shirt.path}/related`)).body, expected);
  t.strictSame(await titlesAt(tenant, '/products/shirt/related'), ['Suit', 'Tie', 'Cap']);
  t.strictSame(await titlesAt(tenant, `/products/${shirt.id}/related?limit=2`), ['Suit', 'Tie']);
  t.strictSame(await titlesAt(tenant, '/products/tie/related'), [], 'in one direction');
  const { body } = await tenant.visitor().get('/products/shirt/related?kind=cross_sell');
  const { body: listed } = await tenant.visitor().get('/products/tie');
  t.strictSame(body, { items: [{ kind: 'cross_sell', product: listed }] });
  t.strictSame(listed.variants[0].price, { amount: 900, currency: 'EUR' });

  const reordered = { items: expected.items.toReversed().slice(0, 2) };
  t.strictSame((await staff.put(`${shirt.path}/related`, reordered)).body, reordered);
  t.strictSame(await titlesAt(tenant, '/products/shirt/related'), ['Cap', 'Tie']);
  await staff.patch(shirt.path, { handle: 'blouse' });
  t.strictSame(await titlesAt(tenant, '/products/shirt/related'), ['Cap', 'Tie'], 'by a former handle');
});

t.test('a deleted product leaves; a product that is not published has no list', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const [shirt, tie, cap] = [await create(tenant, 'Shirt'), await create(tenant, 'Tie'), await create(tenant, 'Cap')];
  await staff.put(`${shirt.path}/related`, itemsOf(tie.id, cap.id));
  await staff.delete(tie.path);
  t.strictSame((await staff.get(`${shirt.path}/related`)).body, itemsOf(cap.id));
  t.strictSame(await titlesAt(tenant, '/products/shirt/related'), ['Cap']);
  t.match(await staff.put(`${shirt.path}/related`, itemsOf(cap.id, tie.id)), {
    status: 400,
    body: { errors: exactly([{ pointer: '/items/1/productId' }]) },
  });
  t.match(await staff.put(`${shirt.path}/related`, itemsOf()), { status: 200 });
  const left = await tenant.db.query('select related_id from related_products where tenant_id = $1');
  t.strictSame(left, []);
  await staff.patch(cap.path, { status: 'draft' });
  for (const path of ['/products/cap/related', `/products/${cap.id}/related`, '/products/none/related']) {
    t.match(await tenant.visitor().get(path), { status: 404, body: { code: 'not_found' } }, path);
  }
  t.match(await staff.get(`${tie.path}/related`), { status: 404 });
  t.match(await staff.put(`${tie.path}/related`, itemsOf()), { status: 404 });
});

t.test('an invalid list is refused and changes nothing', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const [shirt, tie] = [await create(tenant, 'Shirt'), await create(tenant, 'Tie')];
  const path = `${shirt.path}/related`;
  await staff.put(path, itemsOf(tie.id));
  const cases: [body: unknown, pointer: string][] = [
    [itemsOf(tie.id, shirt.id), '/items/1/productId'],
    [itemsOf(shirt.id.toUpperCase()), '/items/0/productId'],
    [itemsOf(tie.id, tie.id), '/items/1/productId'],
    [itemsOf(unknown), '/items/0/productId'],
    [itemsOf(...Array.from({ length: 51 }, () => unknown)), '/items'],
    [{ items: [{ productId: tie.id, kind: 'other' }] }, '/items/0/kind'],
    [{}, '/items'],
  ];
  for (const [body, pointer] of cases) {
    const refused = await staff.put(path, body);
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(body).slice(0, 100));
  }
  t.strictSame((await staff.get(path)).body, itemsOf(tie.id));
  for (const query of ['limit=0', 'limit=51', 'kind=other', 'cursor=x']) {
    t.match(await tenant.visitor().get(`/products/shirt/related?${query}`), { status: 400 }, query);
  }
});

t.test('a list belongs to one tenant', async (t) => {
  const [mine, other] = [await box.openTenant(), await box.openTenant()];
  const [shirt, tie] = [await create(mine, 'Shirt'), await create(mine, 'Tie')];
  const theirs = await create(other, 'Shirt');
  await mine.staff.put(`${shirt.path}/related`, itemsOf(tie.id));
  t.match(await other.staff.get(`${shirt.path}/related`), { status: 404 });
  t.match(await other.staff.put(`${shirt.path}/related`, itemsOf()), { status: 404 });
  t.match(await other.visitor().get(`/products/${shirt.id}/related`), { status: 404 });
  t.match(await other.staff.put(`${theirs.path}/related`, itemsOf(tie.id)), {
    status: 400,
    body: { errors: exactly([{ pointer: '/items/0/productId' }]) },
  });
  t.strictSame(await titlesAt(other, '/products/shirt/related'), []);
  t.strictSame(await titlesAt(mine, '/products/shirt/related'), ['Tie']);
});

t.test('more related products take no more round trips', async (t) => {
  const tenant = await box.openTenant();
  const shirt = await create(tenant, 'Shirt');
  const ids: string[] = [];
  for (let count = 0; count < 8; count++) ids.push((await create(tenant, `Tie ${count}`)).id);
  const read = () => tenant.visitor().get('/products/shirt/related');
  const counts = [];
  for (const count of [1, 8]) {
    await tenant.staff.put(`${shirt.path}/related`, itemsOf(...ids.slice(0, count)));
    await read();
    counts.push(await countRoundTrips(box.box.database, read));
    t.equal((await read()).body.items.length, count);
  }
  t.equal(counts[1], counts[0]);
});

t.test('setting the list has one event, and of two who read the same list one is refused', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const [shirt, tie, cap] = [await create(tenant, 'Shirt'), await create(tenant, 'Tie'), await create(tenant, 'Cap')];
  const path = `${shirt.path}/related`;
  for (let round = 0; round < raceRounds; round++) {
    const { headers } = await staff.get(path);
    const options = { headers: { 'if-match': headers.get('etag') as string } };
    const lists = [itemsOf(tie.id), itemsOf(cap.id, tie.id), itemsOf(cap.id)];
    const [next, another] = [lists[round % 3], lists[(round + 1) % 3]];
    const first = await staff.put(path, next, options);
    t.equal(first.status, 200);
    t.equal((await staff.put(path, another, options)).status, 412);
  }
  const events = await eventsOf(tenant, { resourceId: shirt.id, type: 'product.updated' });
  t.equal(events.length, raceRounds);
});

t.test('two products that are related to each other concurrently', async (t) => {
  const tenant = await box.openTenant();
  const { staff } = tenant;
  const [one, two] = [await create(tenant, 'One'), await create(tenant, 'Two')];
  for (let round = 0; round < raceRounds; round++) {
    const answers = await Promise.all([
      staff.put(`${one.path}/related`, itemsOf(...(round % 2 ? [two.id] : []))),
      staff.put(`${two.path}/related`, itemsOf(...(round % 2 ? [one.id] : []))),
    ]);
    t.strictSame(
      answers.map(({ status, body }) => (status === 200 ? status : body)),
      [200, 200],
    );
  }
});
