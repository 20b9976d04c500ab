/**
 * Collections: made by hand in an order, or filled by a rule; what shoppers see of them.
 */
import { createTestBox, exactly, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant', 'product', 'collection'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'growth' });
const unknown = '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001';

async function makeProduct(title: string, status = 'published', tenant: TestTenant = box): Promise<string> {
  const made = await tenant.staff.post('/admin/products', { title, status });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.id;
}

async function make(body: Record<string, unknown>, tenant: TestTenant = box) {
  const made = await tenant.staff.post('/admin/collections', body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { ...made.body, path: `/admin/collections/${made.body.id}` };
}

const rule = { match: 'all', conditions: [{ field: 'title', operator: 'contains', value: 'hat' }] };
const titlesOf = (answer: { body: { products: { items: { title: string }[] } } }) =>
  answer.body.products.items.map(({ title }) => title);

t.test('a collection made by hand keeps the order of its products', async (t) => {
  const [one, two, three] = [await makeProduct('One'), await makeProduct('Two'), await makeProduct('Three')];
  const made = await box.staff.post('/admin/collections', { title: 'Summer', productIds: [two, one] });
  t.match(made, {
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
  const path = `/admin/collections/${made.body.id}`;
  t.equal(made.headers.get('location'), path);
  t.strictSame((await box.staff.get(path)).body, made.body);
  t.strictSame(titlesOf(await box.visitor().get('/collections/summer')), ['Two', 'One']);

  const set = await box.staff.put(`${path}/products`, { productIds: [three, two, one.toUpperCase()] });
  t.match(set, { status: 200, body: { productIds: exactly([three, two, one]) } });
  t.ok(set.body.updatedAt > made.body.updatedAt);
  t.strictSame(titlesOf(await box.visitor().get(`/collections/${made.body.id}`)), ['Three', 'Two', 'One']);
  t.match(await box.staff.put(`${path}/products`, { productIds: [] }), {
    status: 200,
    body: { productIds: exactly([]) },
  });
  t.strictSame(titlesOf(await box.visitor().get('/collections/summer')), []);
});

t.test('products that are no products of this shop are refused', async (t) => {
  const mine = await makeProduct('Mine');
  const other = await box.openTenant();
  const theirs = await makeProduct('Theirs', 'published', other);
  const gone = await makeProduct('Gone');
  await box.staff.delete(`/admin/products/${gone}`);
  const { path } = await make({ title: 'Refusing', productIds: [mine] });
  const cases: [productIds: unknown, pointer: string][] = [
    [[mine, unknown], '/productIds/1'],
    [[theirs], '/productIds/0'],
    [[gone], '/productIds/0'],
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

t.test('shoppers see published products only, page by page, whatever stands between', async (t) => {
  const ids: string[] = [];
  for (const title of ['A', 'B', 'C']) ids.push(await makeProduct(title));
  const [{ id: hidden }] = (await box.db.insertMany('products', many('draft', 130))) as [{ id: string }];
  const drafts = (await box.db.table<{ id: string }>('products').where('status', 'draft')).map(({ id }) => id);
  t.ok(drafts.includes(hidden));
  const [a, b, c] = ids as [string, string, string];
  const productIds = [a, ...drafts.slice(0, 110), b, ...drafts.slice(110), c];
  const { path } = await make({ title: 'Gaps', handle: 'gaps', productIds });
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
  const kept: string[] = (await box.staff.get(path)).body.productIds;
  t.notOk(kept.includes(b), 'a deleted product is gone from the list, too');
  t.match(await box.staff.put(`${path}/products`, { productIds: kept }), { status: 200 }, 'which can be set again');
  for (const query of ['cursor=x', 'limit=0', 'currency=x', 'sort=title']) {
    t.match(await box.visitor().get(`/collections/gaps?${query}`), { status: 400 }, query);
  }
});

t.test('a collection with a rule fills itself', async (t) => {
  const tenant = await box.openTenant();
  const made = await make({ title: 'Hats', rule }, tenant);
  t.match(made, { kind: 'rule', productIds: exactly([]) });
  t.strictSame(made.rule, rule);
  for (const title of ['Red hat', 'Scarf', 'Blue HAT']) await makeProduct(title, 'published', tenant);
  await makeProduct('Draft hat', 'draft', tenant);
  t.strictSame(titlesOf(await tenant.visitor().get('/collections/hats')), ['Blue HAT', 'Red hat']);
  const first = await tenant.visitor().get('/collections/hats?limit=1');
  const next = await tenant.visitor().get(`/collections/hats?limit=1&cursor=${first.body.products.nextCursor}`);
  t.strictSame([...titlesOf(first), ...titlesOf(next)], ['Blue HAT', 'Red hat']);

  const other = { match: 'any', conditions: [{ field: 'handle', operator: 'equals', value: 'scarf' }] };
  t.strictSame((await tenant.staff.patch(made.path, { rule: other })).body.rule, other);
  t.strictSame(titlesOf(await tenant.visitor().get('/collections/hats')), ['Scarf']);
  const set = await tenant.staff.put(`${made.path}/products`, { productIds: [] });
  t.match(set, { status: 409, body: { code: 'collection_made_by_rule' } });
  const byHand = await make({ title: 'By hand' }, tenant);
  const ruled = await tenant.staff.patch(byHand.path, { rule });
  t.match(ruled, { status: 409, body: { code: 'collection_made_by_hand' } });
});

t.test('a body that makes no sense is refused, naming the field', async (t) => {
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

t.test('a collection is changed and deleted, and each change is told', async (t) => {
  const product = await makeProduct('Stays');
  const { id, path } = await make({ title: 'Winter', productIds: [product] });
  const patch = { title: 'Autumn', handle: 'autumn', description: 'Warm' };
  t.match(await box.staff.patch(path, patch), { status: 200, body: { ...patch, productIds: exactly([product]) } });
  t.match(await box.staff.patch(path, {}), { status: 400 });
  t.match(await box.staff.patch(path, { handle: id }), { status: 400 });
  t.match(await box.staff.delete(path), { status: 204 });
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', patch]] as const) {
    t.match(await box.staff.call(method, path, { body }), { status: 404 }, `${method} of what is gone`);
  }
  t.match(await box.visitor().get('/collections/autumn'), { status: 404 });
  t.match(await box.visitor().get(`/collections/${id}`), { status: 404 });
  t.match(await box.staff.get(`/admin/products/${product}`), { status: 200 }, 'its products stay');
  const events = await box.db.query<{ payload: object }>(
    `select payload from event_outbox where tenant_id = $1 and resource_id = $2 and type = 'collection.updated' order by id`,
    [id],
  );
  t.match(
    events,
    exactly([
      { payload: { title: 'Winter', kind: 'manual', deleted: false } },
      { payload: { title: 'Autumn', deleted: false } },
      { payload: { title: 'Autumn', deleted: true } },
    ]),
  );
});

t.test('a handle is of one collection, also of those made at once', async (t) => {
  await make({ title: 'Sale' });
  t.equal((await make({ title: 'Sale!' })).handle, 'sale-2');
  const taken = await box.staff.post('/admin/collections', { title: 'X', handle: 'sale' });
  t.match(taken, { status: 409, body: { code: 'collection_handle_taken' } });
  const other = await make({ title: 'Other' });
  t.match(await box.staff.patch(other.path, { handle: 'sale' }), { status: 409 });
  const same = await Promise.all(
    [1, 2, 3].map(() => box.staff.post('/admin/collections', { title: '!', handle: 'at' })),
  );
  t.strictSame(same.map(({ status }) => status).sort(), [201, 409, 409]);
  const unnamed = await Promise.all([1, 2, 3].map(() => make({ title: '日本' })));
  t.strictSame(unnamed.map(({ handle }) => handle).sort(), ['collection', 'collection-2', 'collection-3']);
});

t.test('of products set at once, one list stands', async (t) => {
  const ids = [await makeProduct('P'), await makeProduct('Q'), await makeProduct('R')];
  const lists = [ids, [...ids].reverse(), [ids[1]], [ids[2], ids[0]]];
  const { path } = await make({ title: 'Raced' });
  const answers = await Promise.all(lists.map((productIds) => box.staff.put(`${path}/products`, { productIds })));
  t.ok(answers.every(({ status }) => status === 200));
  const { productIds } = (await box.staff.get(path)).body;
  t.ok(lists.some((list) => list.join() === productIds.join()));
});

t.test('collections are listed page by page', async (t) => {
  const tenant = await box.openTenant();
  for (const title of ['A', 'B', 'C']) await make({ title, rule }, tenant);
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
  t.strictSame(Object.keys(seen).sort(), ['description', 'handle', 'id', 'title'], 'a rule is for staff');
});

/** Rows of many products of one status, made at once. */
function many(status: string, count: number) {
  return Array.from({ length: count }, (_, index) => ({
    id: `0198f5a2-7c1e-7b5a-9f51-${String(index).padStart(12, '0')}`,
    handle: `many-${index}`,
    title: `Many ${index}`,
    status,
  }));
}
