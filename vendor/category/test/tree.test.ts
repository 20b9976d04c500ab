/**
 * The tree of categories: moves and deletions, its depth, what can never be stored, and random sequences of changes that
 * are compared with a tree in memory.
 */
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import fc from 'fast-check';
import t from 'tap';
import { createCategory, createProduct, faultsOfTree, packages, setProducts, treeOf, unknownId } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

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

interface Node {
  name: string;
  id: string;
  parent: Node | null;
  children: Node[];
}

const maximumLevels = 10;
const levelsOf = (node: Node): number => 1 + Math.max(0, ...node.children.map(levelsOf));
const isWithin = (node: Node | null, other: Node): boolean =>
  node !== null && (node === other || isWithin(node.parent, other));
const depthOf = (node: Node): number => (node.parent === null ? -1 : depthOf(node.parent) + 1);
const linesOf = (node: Node): string[] =>
  node.children.flatMap((child) => [`${'  '.repeat(depthOf(child))}${child.name}`, ...linesOf(child)]);

/** The place in an array that a random number selects; one of several selects the end. */
const selected = <T>(items: readonly T[], number: number): T | undefined => items[number % (items.length + 1)];

interface Step {
  kind: 'create' | 'move' | 'delete';
  node: number;
  parent: number;
  position: number | undefined;
}

const number = fc.nat({ max: 1000 });
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind'][]>('create', 'create', 'create', 'move', 'move', 'delete'),
    node: number,
    parent: number,
    position: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
  }),
  { minLength: 5, maxLength: 30 },
);

async function play({ staff }: TestTenant, played: readonly Step[]): Promise<Node> {
  const root: Node = { name: '', id: '', parent: null, children: [] };
  const all: Node[] = [];
  const place = (node: Node, parent: Node, position = parent.children.length) => {
    parent.children.splice(position, 0, node);
    node.parent = parent;
  };
  for (const [index, { kind, node: chosen, parent: below, position }] of played.entries()) {
    const parent = selected(all, below) ?? root;
    const parentId = parent === root ? null : parent.id;
    const node = selected(all, chosen);
    if (kind === 'create') {
      const name = `n${index}`;
      const { status, body } = await staff.post('/admin/categories', { name, parentId, position });
      const created: Node = { name, id: body.id, parent: null, children: [] };
      if (status !== (depthOf(parent) + 1 < maximumLevels ? 201 : 409)) throw new Error(`create: ${status}`);
      if (status !== 201) continue;
      all.push(created);
      place(created, parent, position);
    } else if (node && kind === 'move') {
      const { status } = await staff.patch(`/admin/categories/${node.id}`, { parentId, position });
      const fits = depthOf(parent) + 1 + levelsOf(node) <= maximumLevels;
      const isAllowed = !isWithin(parent, node) && (fits || parent === node.parent);
      if (status !== (isAllowed ? 200 : 409)) throw new Error(`move: ${status}`);
      if (!isAllowed || (parent === node.parent && position === undefined)) continue;
      (node.parent as Node).children = (node.parent as Node).children.filter((child) => child !== node);
      place(node, parent, position);
    } else if (node) {
      const { status } = await staff.delete(`/admin/categories/${node.id}`);
      if (status !== 204) throw new Error(`delete: ${status}`);
      const siblings = (node.parent as Node).children;
      siblings.splice(siblings.indexOf(node), 1, ...node.children);
      for (const child of node.children) child.parent = node.parent;
      all.splice(all.indexOf(node), 1);
    }
  }
  return root;
}

t.test('after random changes the stored tree is the one in memory', async (t) => {
  const property = fc.asyncProperty(steps, async (played) => {
    const tenant = await box.openTenant();
    const root = await play(tenant, played);
    t.strictSame(await treeOf(tenant), linesOf(root));
    t.strictSame(await faultsOfTree(tenant), []);
  });
  await fc.assert(property, { numRuns: 12, seed: 20260301 });
});
