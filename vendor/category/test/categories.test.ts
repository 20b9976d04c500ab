/**
 * Categories, as staff write and list them and shoppers see them. The tree as such is in `tree.test.ts`.
 */
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, faultsOfTree, packages, setProducts, treeOf, unknownId } from './helpers.ts';

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

t.test('each write publishes an event, also for the children of a deleted category', async (t) => {
  const tenant = await box.openTenant();
  const one = await createCategory(tenant, 'One');
  const two = await createCategory(tenant, 'Two', one);
  await createCategory(tenant, 'Three', two);
  await tenant.staff.patch(two.path, { visible: false });
  await setProducts(tenant, two, []);
  await tenant.staff.delete(one.path);
  const events = await eventsOf(tenant, { type: /^category\./ });
  t.strictSame(
    events.map(({ type, payload: { handle, parentId, visible, ...more } }) => [type, handle, parentId, visible, more]),
    [
      ['category.created', 'one', null, true, {}],
      ['category.created', 'two', one.id, true, {}],
      ['category.created', 'three', two.id, true, {}],
      ['category.updated', 'two', one.id, false, {}],
      ['category.updated', 'two', one.id, false, {}],
      ['category.updated', 'two', null, false, {}],
      ['category.deleted', 'one', null, true, {}],
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

t.test('a former handle finds the category until shoppers see another one with it', async (t) => {
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

t.test('a category that shoppers do not see takes no former handle away', async (t) => {
  const tenant = await box.openTenant();
  const visitor = tenant.visitor();
  const handleOf = async (name: string) => (await visitor.get(`/categories/${name}`)).body.handle;
  const shirts = await createCategory(tenant, 'Shirts');
  await tenant.staff.patch(shirts.path, { handle: 'tops' });
  const parent = await createCategory(tenant, 'Secret', null, { visible: false });
  for (const [what, parentId, fields, shown] of [
    ['a hidden one', null, { visible: false }, { visible: true }],
    ['one below a hidden one', parent, {}, { parentId: null }],
  ] as const) {
    const other = await createCategory(tenant, what, parentId, { handle: 'shirts', ...fields });
    t.equal(await handleOf('shirts'), 'tops', what);
    t.match(await visitor.get('/products?category=shirts'), { status: 200 });
    await tenant.staff.patch(other.path, { handle: 'elsewhere' });
    t.equal(await handleOf('shirts'), 'tops', `${what} that left it`);
    await tenant.staff.patch(other.path, { handle: 'shirts' });
    await tenant.staff.patch(other.path, shown);
    t.equal(await handleOf('shirts'), 'shirts', `${what} that is shown`);
    await tenant.staff.delete(other.path);
    t.equal(await handleOf('shirts'), 'tops', `${what} that is gone`);
  }
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
