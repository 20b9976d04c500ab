/**
 * The tree of categories, as staff manage it and shoppers see it.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, createProduct, faultsOfTree, packages, setProducts, treeOf, unknownId } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;

t.test('a category is created with a handle, last among its siblings or at a position', async (t) => {
  const tenant = await box.openTenant();
  const created = await tenant.staff.post('/admin/categories', { name: 'Café & Bar' });
  t.match(created, { status: 201 });
  const { id, createdAt, updatedAt, ...rest } = created.body;
  t.strictSame(rest, {
    handle: 'cafe-bar',
    name: 'Café & Bar',
    description: '',
    visible: true,
    parentId: null,
    position: 0,
    depth: 0,
    externalId: null,
    metadata: {},
  });
  t.ok(createdAt && updatedAt);
  const path = created.headers.get('location') as string;
  t.equal(path, `/admin/categories/${id}`);
  t.strictSame((await tenant.staff.get(path)).body, created.body);
  const parent = { id };
  await createCategory(tenant, 'Cups', parent);
  await createCategory(tenant, 'Spoons', parent, { position: 0 });
  await createCategory(tenant, 'Plates', parent, { position: 1 });
  await createCategory(tenant, 'Last', parent, { position: 99 });
  t.equal((await createCategory(tenant, 'Cups', null, { position: 0 })).handle, 'cups-2');
  t.strictSame(await treeOf(tenant), ['Cups', 'Café & Bar', '  Spoons', '  Plates', '  Cups', '  Last']);
  t.strictSame(await treeOf(tenant, '?levels=1'), ['Cups', 'Café & Bar']);
  t.strictSame(await faultsOfTree(tenant), []);
});

t.test('an invalid body is refused with a pointer to the field', async (t) => {
  const theirs = await createCategory(await box.openTenant(), 'Theirs');
  const cases: [body: Record<string, unknown>, pointer: string][] = [
    [{}, '/name'],
    [{ name: 'X', handle: 'No handle' }, '/handle'],
    [{ name: 'X', handle: unknownId }, '/handle'],
    [{ name: 'X', parentId: '' }, '/parentId'],
    [{ name: 'X', parentId: ' ' }, '/parentId'],
    [{ name: 'X', parentId: '/' }, '/parentId'],
    [{ name: 'X', parentId: unknownId }, '/parentId'],
    [{ name: 'X', parentId: theirs.id }, '/parentId'],
    [{ name: 'X', position: -1 }, '/position'],
    [{ name: 'X', depth: 0 }, '/depth'],
    [{ name: 'X', path: '/' }, '/path'],
  ];
  for (const [body, pointer] of cases) {
    const refused = await staff.post('/admin/categories', body);
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer }]) } }, JSON.stringify(body));
  }
  const own = await createCategory(box, 'Own');
  for (const parentId of ['', unknownId, theirs.id]) {
    const refused = await staff.patch(own.path, { parentId });
    t.match(refused, { status: 400, body: { errors: exactly([{ pointer: '/parentId' }]) } }, parentId);
  }
  t.match(await staff.patch(own.path, {}), { status: 400 });
});

t.test('a move takes everything below along, to any place among the siblings', async (t) => {
  const tenant = await box.openTenant();
  const women = await createCategory(tenant, 'Women');
  const men = await createCategory(tenant, 'Men');
  const shirts = await createCategory(tenant, 'Shirts', women);
  const linen = await createCategory(tenant, 'Linen', shirts);
  await createCategory(tenant, 'White', linen);
  await createCategory(tenant, 'Coats', women);
  await createCategory(tenant, 'Ties', men);

  const moved = await tenant.staff.patch(shirts.path, { parentId: men.id, position: 0, name: 'Men’s shirts' });
  t.match(moved, { status: 200, body: { parentId: men.id, position: 0, depth: 1, name: 'Men’s shirts' } });
  const belowMen = ['  Men’s shirts', '    Linen', '      White', '  Ties'];
  t.strictSame(await treeOf(tenant), ['Women', '  Coats', 'Men', ...belowMen]);
  t.strictSame(await faultsOfTree(tenant), []);

  t.match(await tenant.staff.patch(linen.path, { parentId: null }), { body: { position: 2, depth: 0 } });
  t.strictSame(await treeOf(tenant), ['Women', '  Coats', 'Men', '  Men’s shirts', '  Ties', 'Linen', '  White']);
  await tenant.staff.patch(linen.path, { position: 0 });
  t.strictSame((await treeOf(tenant)).slice(0, 3), ['Linen', '  White', 'Women']);
  await tenant.staff.patch(linen.path, { position: 1 });
  t.strictSame((await treeOf(tenant)).slice(0, 3), ['Women', '  Coats', 'Linen']);
  t.match(await tenant.staff.patch(linen.path, { parentId: null }), { body: { position: 1 } }, 'it is there already');
  t.strictSame(await faultsOfTree(tenant), []);
});

t.test('a category cannot be moved into itself or below itself', async (t) => {
  const tenant = await box.openTenant();
  const one = await createCategory(tenant, 'One');
  const two = await createCategory(tenant, 'Two', one);
  const three = await createCategory(tenant, 'Three', two);
  const before = await treeOf(tenant);
  for (const parent of [one, two, three]) {
    const refused = await tenant.staff.patch(one.path, { parentId: parent.id.toUpperCase(), name: 'Changed' });
    t.match(refused, { status: 409, body: { code: 'category_cycle' } });
  }
  t.strictSame(await treeOf(tenant), before);
});

t.test('the tree has at most ten levels', async (t) => {
  const tenant = await box.openTenant();
  let parent = null;
  const chain = [];
  for (let level = 0; level < 10; level++) {
    parent = await createCategory(tenant, `Level ${level}`, parent);
    chain.push(parent);
  }
  const refused = await tenant.staff.post('/admin/categories', { name: 'X', parentId: parent?.id });
  t.match(refused, { status: 409, body: { code: 'category_too_deep' } });
  const other = await createCategory(tenant, 'Other');
  const second = chain[1] as { path: string };
  t.match(await tenant.staff.patch(second.path, { parentId: other.id }), { status: 200 }, 'nine levels below one');
  const first = chain[0] as { id: string; path: string };
  t.match(await tenant.staff.patch(other.path, { parentId: first.id }), {
    status: 409,
    body: { code: 'category_too_deep' },
  });
  t.strictSame(await faultsOfTree(tenant), []);
});

t.test('the database refuses what is no tree', async (t) => {
  const one = await createCategory(box, 'Refusing');
  const two = await createCategory(box, 'Below', one);
  const other = await box.openTenant();
  const theirs = await createCategory(other, 'Theirs');
  const path = (...ids: string[]) => ['', ...ids, ''].join('/');
  const set = (parentId: string | null, parentPath: string) => () =>
    box.db.transaction((tx) =>
      tx.query('update categories set parent_id = $2, parent_path = $3 where tenant_id = $1 and id = $4', [
        parentId,
        parentPath,
        one.id,
      ]),
    );
  await t.resolves(set(null, '/')());
  const refusals: [constraint: string, parentId: string | null, parentPath: string][] = [
    ['categories_parent_path', one.id, path(one.id)],
    ['categories_parent_path', two.id, path(one.id, two.id)],
    ['categories_parent_path', two.id, path(two.id)],
    ['categories_parent_path', theirs.id, path(theirs.id)],
    ['categories_parent_path', unknownId, path(unknownId)],
    ['categories_root', null, ''],
    ['categories_root', null, path(two.id)],
    ['categories_root', two.id, '/'],
    ['categories_depth', two.id, path(...Array.from({ length: 10 }, () => two.id))],
  ];
  for (const [constraint, parentId, parentPath] of refusals) {
    await t.rejects(set(parentId, parentPath)(), new RegExp(constraint), `${constraint}: ${parentPath}`);
  }
});

t.test('of a deleted category the children take its place', async (t) => {
  const tenant = await box.openTenant();
  const clothes = await createCategory(tenant, 'Clothes');
  await createCategory(tenant, 'Hats', clothes);
  const tops = await createCategory(tenant, 'Tops', clothes);
  await createCategory(tenant, 'Shoes', clothes);
  const shirts = await createCategory(tenant, 'Shirts', tops);
  await createCategory(tenant, 'Linen', shirts);
  await createCategory(tenant, 'Vests', tops);
  const product = await createProduct(tenant, 'Top');
  await setProducts(tenant, tops, [product]);
  t.match(await tenant.staff.delete(tops.path), { status: 204 });
  t.strictSame(await treeOf(tenant), ['Clothes', '  Hats', '  Shirts', '    Linen', '  Vests', '  Shoes']);
  t.strictSame(await faultsOfTree(tenant), []);
  t.match(await tenant.staff.get(`/admin/products/${product}`), { status: 200 }, 'its products stay');
  t.match(await tenant.staff.delete(clothes.path), { status: 204 });
  t.strictSame(await treeOf(tenant), ['Hats', 'Shirts', '  Linen', 'Vests', 'Shoes']);
  t.strictSame(await faultsOfTree(tenant), []);
  for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { name: 'X' }]] as const) {
    t.match(await tenant.staff.call(method, tops.path, { body }), { status: 404 }, `${method} after the deletion`);
  }
  const deletions = await tenant.db.query<{ id: string }>(
    `select id from deletions where tenant_id = $1 and resource = 'categories'`,
  );
  t.strictSame(deletions.map(({ id }) => id).sort(), [clothes.id, tops.id].sort(), 'for integrations');
});

t.test('each write publishes an event, also for the children of a deleted category', async (t) => {
  const tenant = await box.openTenant();
  const one = await createCategory(tenant, 'One');
  const two = await createCategory(tenant, 'Two', one);
  await createCategory(tenant, 'Three', two);
  await tenant.staff.patch(two.path, { visible: false });
  await setProducts(tenant, two, []);
  await tenant.staff.delete(one.path);
  const events = await tenant.db.query<{ payload: unknown }>(
    `select payload from event_outbox where tenant_id = $1 and type = 'category.updated' order by id`,
  );
  const payload = (name: string, parentId: string | null, visible: boolean, deleted: boolean) => ({
    handle: name.toLowerCase(),
    name,
    parentId,
    visible,
    deleted,
  });
  t.strictSame(
    events.map((event) => event.payload),
    [
      payload('One', null, true, false),
      payload('Two', one.id, true, false),
      payload('Three', two.id, true, false),
      payload('Two', one.id, false, false),
      payload('Two', one.id, false, false),
      payload('Two', null, false, false),
      payload('One', null, true, true),
    ],
  );
});

t.test('shoppers see no hidden category and nothing below one', async (t) => {
  const tenant = await box.openTenant();
  const clothes = await createCategory(tenant, 'Clothes');
  const secret = await createCategory(tenant, 'Secret', clothes, { visible: false });
  const below = await createCategory(tenant, 'Below', secret);
  await createCategory(tenant, 'Hats', clothes);
  t.strictSame(await treeOf(tenant), ['Clothes', '  Hats']);
  const visitor = tenant.visitor();
  const { body } = await visitor.get('/categories/clothes');
  t.strictSame(
    body.children.map(({ name }: { name: string }) => name),
    ['Hats'],
  );
  for (const name of ['secret', 'below', below.id, secret.id, 'nothing', unknownId]) {
    t.match(await visitor.get(`/categories/${name}`), { status: 404 }, name);
  }
  await tenant.staff.patch(secret.path, { visible: true });
  const read = await visitor.get('/categories/below');
  t.strictSame(
    read.body.ancestors.map(({ handle }: { handle: string }) => handle),
    ['clothes', 'secret'],
  );
  t.strictSame(Object.keys(read.body).sort(), [
    'ancestors',
    'children',
    'depth',
    'description',
    'handle',
    'id',
    'name',
    'parentId',
    'products',
  ]);
});

t.test('a former handle finds the category until another category gets it', async (t) => {
  const tenant = await box.openTenant();
  const visitor = tenant.visitor();
  const handleOf = async (name: string) => (await visitor.get(`/categories/${name}`)).body.handle;
  const shirts = await createCategory(tenant, 'Shirts');
  await tenant.staff.patch(shirts.path, { handle: 'tops' });
  await tenant.staff.patch(shirts.path, { handle: 'upper' });
  t.strictSame(
    [await handleOf('shirts'), await handleOf('tops'), await handleOf('upper')],
    ['upper', 'upper', 'upper'],
  );
  t.match(await visitor.get('/products?category=shirts'), { status: 200 });
  const other = await createCategory(tenant, 'Other', null, { handle: 'shirts' });
  t.equal(await handleOf('shirts'), 'shirts');
  await tenant.staff.patch(other.path, { handle: 'tops' });
  t.strictSame([await handleOf('tops'), await handleOf('shirts')], ['tops', 'tops'], 'the latest owner has it');
  await tenant.staff.patch(shirts.path, { handle: 'upper' });
  await tenant.staff.patch(shirts.path, { handle: 'shirts' });
  t.strictSame([await handleOf('shirts'), await handleOf('upper')], ['shirts', 'shirts'], 'a handle can come back');
  await tenant.staff.patch(other.path, { handle: 'last' });
  t.strictSame([await handleOf('tops'), await handleOf('last')], ['last', 'last'], 'its later owner leaves it, too');
  await tenant.staff.delete(shirts.path);
  t.match(await visitor.get('/categories/upper'), { status: 404 });
  t.match(await (await box.openTenant()).visitor().get('/categories/tops'), { status: 404 }, 'of another tenant');
});

t.test('staff list categories by parent, handle and visibility, newest first or by position', async (t) => {
  const tenant = await box.openTenant();
  const a = await createCategory(tenant, 'A');
  await createCategory(tenant, 'B', null, { visible: false });
  await createCategory(tenant, 'C', a);
  await createCategory(tenant, 'D', a, { position: 0 });
  const names = async (query: string) => {
    const { body } = await tenant.staff.get(`/admin/categories?${query}`);
    return body.items.map(({ name }: { name: string }) => name).join('');
  };
  t.equal(await names(''), 'DCBA');
  t.equal(await names(`parentId=${a.id}`), 'DC');
  t.equal(await names(`parentId=${a.id}&sort=position`), 'DC');
  t.equal(await names('visible=false'), 'B');
  t.equal(await names('visible=true'), 'DCA');
  t.equal((await names('visible=true&sort=position')).at(-1), 'C');
  t.equal(await names('handle=c'), 'C');
  t.match(await tenant.staff.get('/admin/categories?sort=name'), { status: 400 });
  t.match(await tenant.staff.get('/admin/categories?parentId='), { status: 400 });
});

t.test('a category belongs to one tenant', async (t) => {
  const other = await box.openTenant();
  const theirs = await createCategory(other, 'Private');
  t.match(await staff.get(theirs.path), { status: 404 });
  t.match(await staff.patch(theirs.path, { name: 'Mine' }), { status: 404 });
  t.match(await staff.delete(theirs.path), { status: 404 });
  t.match(await staff.put(`${theirs.path}/products`, { productIds: [] }), { status: 404 });
  t.match(await staff.get(`${theirs.path}/products`), { status: 404 });
  t.match(await box.visitor().get('/categories/private'), { status: 404 });
  t.match(await box.visitor().get(`/categories/${theirs.id}`), { status: 404 });
  t.notOk((await treeOf(box)).includes('Private'));
  t.strictSame(await box.db.query('select id from categories where tenant_id = $1 and id = $2', [theirs.id]), []);
  t.strictSame(await treeOf(other), ['Private']);
});

t.test('a tree of a thousand categories is complete, and moves at once', async (t) => {
  const tenant = await box.openTenant();
  const root = await createCategory(tenant, 'Root');
  const target = await createCategory(tenant, 'Target');
  // Ten below the root, ten below each, nine below each of these.
  const rows: Record<string, unknown>[] = [];
  const add = (parent: { id: string; path: string }, count: number, levels: number[]) => {
    for (let position = 0; position < count; position++) {
      const id = crypto.randomUUID();
      const [next, ...rest] = levels;
      rows.push({
        id,
        handle: `c-${id.slice(0, 13)}`,
        name: `${rows.length}`,
        parentId: parent.id,
        parentPath: parent.path,
        position,
      });
      if (next !== undefined) add({ id, path: `${parent.path}${id}/` }, next, rest);
    }
  };
  add({ id: root.id, path: `/${root.id}/` }, 10, [10, 9]);
  await tenant.db.insertMany('categories', rows);
  t.equal(rows.length, 1010);
  const moved = await tenant.staff.patch(root.path, { parentId: target.id });
  t.match(moved, { status: 200, body: { depth: 1 } });
  t.strictSame(await faultsOfTree(tenant), []);
  const { items } = (await tenant.visitor().get('/categories')).body;
  t.equal(items.length, 1012);
  t.strictSame(
    items.slice(2).map(({ name }: { name: string }) => name),
    rows.map(({ name }) => name),
    'each category is followed by those below it',
  );
});
