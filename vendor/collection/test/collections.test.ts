/**
 * Manual collections and collections with a rule, as staff manage them and shoppers see them.
 */
import { createTestBox, eventsOf, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'product', 'collection'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'growth' });
const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

async function createProduct(title: string, status = 'published', tenant: TestTenant = box): Promise<string> {
  const created = await tenant.staff.post('/admin/products', { title, status });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return created.body.id;
}

async function create(body: Record<string, unknown>, tenant: TestTenant = box) {
  const created = await tenant.staff.post('/admin/collections', body);
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  return { ...created.body, path: `/admin/collections/${created.body.id}` };
}

const rule = { match: 'all', conditions: [{ field: 'title', operator: 'contains', value: 'hat' }] };
const titlesOf = (response: { body: { products: { items: { title: string }[] } } }) =>
  response.body.products.items.map(({ title }) => title);

t.test('a manual collection has its products in their order', async (t) => {
  const [one, two, three] = [await createProduct('One'), await createProduct('Two'), await createProduct('Three')];
  const created = await box.staff.post('/admin/collections', { title: 'Summer', productIds: [two, one] });
  t.match(created, {
    status: 201,
    body: {
      handle: 'summer',
      title: 'Summer',
      description: '',
      kind: 'manual',
      rule: null,
      productIds: exactly([two, one]),
    },
  });
  const path = `/admin/collections/${created.body.id}`;
  t.equal(created.headers.get('location'), path);
  t.strictSame((await box.staff.get(path)).body, created.body);
  t.strictSame(titlesOf(await box.visitor().get('/collections/summer')), ['Two', 'One']);

  const set = await box.staff.put(`${path}/products`, { productIds: [three, two, one.toUpperCase()] });
  t.match(set, { status: 200, body: { productIds: exactly([three, two, one]) } });
  t.ok(set.body.updatedAt > created.body.updatedAt);
  t.strictSame(titlesOf(await box.visitor().get(`/collections/${created.body.id}`)), ['Three', 'Two', 'One']);
  t.match(await box.staff.put(`${path}/products`, { productIds: [] }), {
    status: 200,
    body: { productIds: exactly([]) },
  });
  t.strictSame(titlesOf(await box.visitor().get('/collections/summer')), []);
});

t.test('unknown products and duplicates are refused', async (t) => {
  const mine = await createProduct('Mine');
  const other = await box.openTenant();
  const theirs = await createProduct('Theirs', 'published', other);
  const deleted = await createProduct('Gone');
  await box.staff.delete(`/admin/products/${deleted}`);
  const { path } = await create({ title: 'Refusing', productIds: [mine] });
  const cases: [productIds: unknown, pointer: string][] = [
    [[mine, unknown], '/productIds/1'],
    [[theirs], '/productIds/0'],
    [[deleted], '/productIds/0'],
    [[mine, mine], '/productIds'],
    [[mine, mine.toUpperCase()], '/productIds/1'],
    [['x'], '/productIds/0'],
    [undefined, '/productIds'],
  ];
  for (const [productIds, pointer] of cases) {
    const refused = await box.staff.put(`${path}/products`, { productIds });
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(productIds));
  }
  t.strictSame((await box.staff.get(path)).body.productIds, [mine]);
  t.match(await box.staff.post('/admin/collections', { title: 'No', productIds: [theirs] }), { status: 400 });
  t.match(await box.staff.put(`/admin/collections/${unknown}/products`, { productIds: [] }), { status: 404 });
});

t.test('shoppers page through the published products only', async (t) => {
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C']) ids.push(await createProduct(title));
  const [{ id: hidden }] = (await box.db.insertMany('products', productRows('draft', 130))) as [{ id: string }];
  const drafts = (await box.db.table<{ id: string }>('products').where('status', 'draft')).map(({ id }) => id);
  t.ok(drafts.includes(hidden));
  const [a, b, c] = ids as [string, string, string];
  const productIds = [a, ...drafts.slice(0, 110), b, ...drafts.slice(110), c];
  const { path } = await create({ title: 'Gaps', handle: 'gaps', productIds });
  const first = await box.visitor().get('/collections/gaps?limit=1');
  t.strictSame(titlesOf(first), ['A']);
  const second = await box.visitor().get(`/collections/gaps?limit=1&cursor=${first.body.products.nextCursor}`);
  t.strictSame(titlesOf(second), ['B']);
  const last = await box.visitor().get(`/collections/gaps?limit=5&cursor=${second.body.products.nextCursor}`);
  t.strictSame(titlesOf(last), ['C']);
  t.equal(last.body.products.nextCursor, null);
  t.strictSame(titlesOf(await box.visitor().get('/collections/gaps')), ['A', 'B', 'C']);

  await box.staff.delete(`/admin/products/${b}`);
  t.strictSame(titlesOf(await box.visitor().get('/collections/gaps')), ['A', 'C']);
  const listed: string[] = (await box.staff.get(path)).body.productIds;
  t.notOk(listed.includes(b), 'the list for staff leaves out deleted products');
  t.match(await box.staff.put(`${path}/products`, { productIds: listed }), { status: 200 }, 'so it can be set again');
  for (const query of ['cursor=x', 'limit=0', 'currency=x', 'sort=title']) {
    t.match(await box.visitor().get(`/collections/gaps?${query}`), { status: 400 }, query);
  }
});

t.test('a rule selects the products of a collection', async (t) => {
  const tenant = await box.openTenant();
  const created = await create({ title: 'Hats', rule }, tenant);
  t.match(created, { kind: 'rule', productIds: exactly([]) });
  t.strictSame(created.rule, rule);
  for (const title of ['Red hat', 'Scarf', 'Blue HAT']) await createProduct(title, 'published', tenant);
  await createProduct('Draft hat', 'draft', tenant);
  t.strictSame(titlesOf(await tenant.visitor().get('/collections/hats')), ['Blue HAT', 'Red hat']);
  const first = await tenant.visitor().get('/collections/hats?limit=1');
  const next = await tenant.visitor().get(`/collections/hats?limit=1&cursor=${first.body.products.nextCursor}`);
  t.strictSame([...titlesOf(first), ...titlesOf(next)], ['Blue HAT', 'Red hat']);

  const other = { match: 'any', conditions: [{ field: 'handle', operator: 'equals', value: 'scarf' }] };
  t.strictSame((await tenant.staff.patch(created.path, { rule: other })).body.rule, other);
  t.strictSame(titlesOf(await tenant.visitor().get('/collections/hats')), ['Scarf']);
  const set = await tenant.staff.put(`${created.path}/products`, { productIds: [] });
  t.match(set, { status: 409, body: { code: 'collection_made_by_rule' } });
  const byHand = await create({ title: 'By hand' }, tenant);
  const ruled = await tenant.staff.patch(byHand.path, { rule });
  t.match(ruled, { status: 409, body: { code: 'collection_made_by_hand' } });
});

t.test('rules compare texts by one fold', async (t) => {
  const tenant = await box.openTenant();
  for (const title of ['E\u0301clair au chocolat', 'Straße', 'ΣΟΦΟΣ']) await createProduct(title, 'published', tenant);
  const cases = [
    ['contains', 'éclair', 'Éclair au chocolat'],
    ['starts_with', 'ECLAIR', null],
    ['contains', 'STRASSE', 'Straße'],
    ['equals', 'σοφος', 'ΣΟΦΟΣ'],
    ['contains', 'ｓｏ\u200b', null],
    ['starts_with', 'ｓｔｒａß', 'Straße'],
  ] as const;
  for (const [at, [operator, value, found]] of cases.entries()) {
    const conditions = [{ field: 'title', operator, value }];
    await create({ title: ` Rule ${at} `, handle: `rule-${at}`, rule: { match: 'all', conditions } }, tenant);
    const seen = await tenant.visitor().get(`/collections/rule-${at}`);
    t.strictSame([seen.body.title, ...titlesOf(seen)], [`Rule ${at}`, ...(found ? [found] : [])], value);
  }
  // As earlier releases have stored it.
  await tenant.db.query('update products set title = normalize(title, NFD) where tenant_id = $1');
  t.equal(titlesOf(await tenant.visitor().get('/collections/rule-0')).length, 1);
});

t.test('an invalid body is refused with a pointer to the field', async (t) => {
  const condition = rule.conditions[0];
  const cases: [body: Record<string, unknown>, pointer: string][] = [
    [{}, '/title'],
    [{ title: 'X', handle: 'No handle' }, '/handle'],
    [{ title: 'X', handle: unknown }, '/handle'],
    [{ title: 'X', rule: { match: 'all', conditions: [] } }, '/rule/conditions'],
    [{ title: 'X', rule: { match: 'none', conditions: [condition] } }, '/rule/match'],
    [{ title: 'X', rule: { ...rule, conditions: [{ ...condition, field: 'status' }] } }, '/rule/conditions/0/field'],
    [{ title: 'X', rule: { ...rule, conditions: [{ ...condition, value: '' }] } }, '/rule/conditions/0/value'],
    [{ title: 'X', rule, productIds: [] }, '/productIds'],
  ];
  for (const [body, pointer] of cases) {
    const refused = await box.staff.post('/admin/collections', body);
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(body));
  }
});

t.test('a collection is changed and deleted, and each change publishes an event', async (t) => {
  const product = await createProduct('Stays');
  const { id, path } = await create({ title: 'Winter', productIds: [product] });
  const patch = { title: 'Autumn', handle: 'autumn', description: 'Warm' };
  t.match(await box.staff.patch(path, patch), { status: 200, body: { ...patch, productIds: exactly([product]) } });
  t.match(await box.staff.patch(path, {}), { status: 400 });
  t.match(await box.staff.patch(path, { handle: id }), { status: 400 });
  t.match(await box.staff.delete(path), { status: 204 });
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', patch]] as const) {
    t.match(await box.staff.call(method, path, { body }), { status: 404 }, `${method} after the deletion`);
  }
  t.match(await box.visitor().get('/collections/autumn'), { status: 404 });
  t.match(await box.visitor().get(`/collections/${id}`), { status: 404 });
  t.match(await box.staff.get(`/admin/products/${product}`), { status: 200 }, 'its products are not deleted');
  t.match(
    await eventsOf(box, id),
    exactly([
      { type: 'collection.created', payload: { handle: 'winter', kind: 'manual' } },
      { type: 'collection.updated', payload: { handle: 'autumn' } },
      { type: 'collection.deleted', payload: { handle: 'autumn' } },
    ]),
  );
});

t.test('a handle belongs to one collection, also under concurrent requests', async (t) => {
  await create({ title: 'Sale' });
  t.equal((await create({ title: 'Sale!' })).handle, 'sale-2');
  const taken = await box.staff.post('/admin/collections', { title: 'X', handle: 'sale' });
  t.match(taken, { status: 409, body: { code: 'collection_handle_taken' } });
  const other = await create({ title: 'Other' });
  t.match(await box.staff.patch(other.path, { handle: 'sale' }), { status: 409 });
  const concurrent = await Promise.all(
    [1, 2, 3].map(() => box.staff.post('/admin/collections', { title: '!', handle: 'at' })),
  );
  t.strictSame(concurrent.map(({ status }) => status).sort(), [201, 409, 409]);
  const unnamed = await Promise.all([1, 2, 3].map(() => create({ title: '!' })));
  t.strictSame(unnamed.map(({ handle }) => handle).sort(), ['collection', 'collection-2', 'collection-3']);
});

t.test('of product lists that are set concurrently one remains', async (t) => {
  const ids = [await createProduct('P'), await createProduct('Q'), await createProduct('R')];
  const lists = [ids, [...ids].reverse(), [ids[1]], [ids[2], ids[0]]];
  const { path } = await create({ title: 'Raced' });
  const responses = await Promise.all(lists.map((productIds) => box.staff.put(`${path}/products`, { productIds })));
  t.ok(responses.every(({ status }) => status === 200));
  const { productIds } = (await box.staff.get(path)).body;
  t.ok(lists.some((list) => list.join() === productIds.join()));
});

t.test('collections are listed in pages', async (t) => {
  const tenant = await box.openTenant();
  for (const title of ['A', 'B', 'C']) await create({ title, rule }, tenant);
  for (const [caller, path] of [
    [tenant.visitor(), '/collections'],
    [tenant.staff, '/admin/collections'],
  ] as const) {
    const first = await caller.get(`${path}?limit=2`);
    const second = await caller.get(`${path}?limit=2&cursor=${first.body.nextCursor}`);
    const titles = [...first.body.items, ...second.body.items].map(({ title }) => title);
    t.strictSame(titles, ['C', 'B', 'A'], path);
  }
  const [seen] = (await tenant.visitor().get('/collections')).body.items;
  t.strictSame(Object.keys(seen).sort(), ['description', 'handle', 'id', 'title'], 'shoppers do not see the rule');
});

/** Rows of products with a status. */
function productRows(status: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `0198f5a2-7c1e-7b5a-9f51-${String(index).padStart(12, '0')}`,
    handle: `many-${index}`,
    title: `Many ${index}`,
    status,
  }));
}
