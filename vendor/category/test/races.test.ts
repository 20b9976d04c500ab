/**
 * Concurrency: whatever staff do at the same time, categories stay one tree, with right paths and positions.
 */
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { createCategory, createProduct, faultsOfTree, packages, setProducts, treeOf } from './helpers.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const { staff } = box;
const product = await createProduct(box, 'Product');
const statusesOf = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted();
const clear = async () => {
  const { items } = (await box.visitor().get('/categories')).body;
  for (const { id } of items) await staff.delete(`/admin/categories/${id}`);
};
t.afterEach(clear);

t.test('of two categories that are moved below each other, one is', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const one = await createCategory(box, 'One');
    const two = await createCategory(box, 'Two');
    const belowOne = await createCategory(box, 'Below one', one);
    const belowTwo = await createCategory(box, 'Below two', two);
    // Directly in one round, by what is below them in the next.
    const [targetOfOne, targetOfTwo] = round % 2 === 0 ? [two, one] : [belowTwo, belowOne];
    const answers = await Promise.all([
      staff.patch(one.path, { parentId: targetOfOne.id }),
      staff.patch(two.path, { parentId: targetOfTwo.id }),
    ]);
    t.strictSame(statusesOf(answers), [200, 409]);
    t.equal(answers.find(({ status }) => status === 409)?.body.code, 'category_cycle');
    t.strictSame(await faultsOfTree(box), []);
    t.equal((await treeOf(box)).length, 4);
    await clear();
  }
});

t.test('three categories that are moved in a circle make no circle', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const one = await createCategory(box, 'One');
    const two = await createCategory(box, 'Two');
    const three = await createCategory(box, 'Three');
    const answers = await Promise.all([
      staff.patch(one.path, { parentId: two.id }),
      staff.patch(two.path, { parentId: three.id }),
      staff.patch(three.path, { parentId: one.id }),
    ]);
    t.strictSame(statusesOf(answers), [200, 200, 409]);
    t.strictSame(await faultsOfTree(box), []);
    await clear();
  }
});

t.test('a category that is moved into one that is being deleted is in its place, or stays', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const root = await createCategory(box, 'Root');
    const target = await createCategory(box, 'Target', root);
    const moved = await createCategory(box, 'Moved');
    await createCategory(box, 'Below', moved);
    const [move, removal] = await Promise.all([
      staff.patch(moved.path, { parentId: target.id }),
      staff.delete(target.path),
    ]);
    t.equal(removal.status, 204);
    t.ok(move.status === 200 || move.status === 400, 'it was there, or is unknown');
    const expected = move.status === 200 ? ['Root', '  Moved', '    Below'] : ['Root', 'Moved', '  Below'];
    t.strictSame(await treeOf(box), expected);
    t.strictSame(await faultsOfTree(box), []);
    await clear();
  }
});

t.test('concurrent creations below a category that moves are below it', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const one = await createCategory(box, 'One');
    const two = await createCategory(box, 'Two');
    const answers = await Promise.all([
      staff.patch(one.path, { parentId: two.id }),
      ...['A', 'B', 'C'].map((name) => staff.post('/admin/categories', { name, parentId: one.id, position: 0 })),
    ]);
    t.strictSame(statusesOf(answers), [200, 201, 201, 201]);
    const tree = await treeOf(box);
    t.strictSame(tree.slice(0, 2), ['Two', '  One']);
    t.strictSame(tree.slice(2).toSorted(), ['    A', '    B', '    C']);
    t.strictSame(await faultsOfTree(box), []);
    await clear();
  }
});

t.test('concurrent reorderings leave every place taken once', async (t) => {
  const names = ['A', 'B', 'C', 'D'];
  const created: Awaited<ReturnType<typeof createCategory>>[] = [];
  for (const name of names) created.push(await createCategory(box, name));
  for (let round = 0; round < raceRounds; round++) {
    const answers = await Promise.all(created.map(({ path }) => staff.patch(path, { position: round % 4 })));
    t.strictSame(statusesOf(answers), [200, 200, 200, 200]);
    t.strictSame((await treeOf(box)).toSorted(), names);
    t.strictSame(await faultsOfTree(box), []);
  }
});

t.test('products that are set while the category is deleted are not left behind', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const category = await createCategory(box, 'Deleted');
    const [set, removal] = await Promise.all([
      staff.put(`${category.path}/products`, { productIds: [product] }),
      staff.delete(category.path),
    ]);
    t.equal(removal.status, 204);
    t.ok(set.status === 200 || set.status === 404);
    t.strictSame(await box.db.query('select * from category_products where tenant_id = $1'), []);
  }
});

t.test('of product lists that are set concurrently one remains', async (t) => {
  const ids = [product, await createProduct(box, 'Second'), await createProduct(box, 'Third')];
  const lists = [ids, ids.toReversed(), ids.slice(1), ids.slice(0, 1)];
  const category = await createCategory(box, 'Set');
  for (let round = 0; round < raceRounds; round++) {
    await setProducts(box, category, []);
    const { headers } = await staff.get(`${category.path}/products`);
    const conditional = round % 2 === 0 ? {} : { headers: { 'if-match': headers.get('etag') as string } };
    const answers = await Promise.all(
      lists.map((productIds) => staff.put(`${category.path}/products`, { productIds }, conditional)),
    );
    t.strictSame(statusesOf(answers), round % 2 === 0 ? [200, 200, 200, 200] : [200, 412, 412, 412]);
    const { productIds } = (await staff.get(`${category.path}/products`)).body;
    t.ok(lists.some((list) => list.join() === productIds.join()));
  }
});

t.test('a handle belongs to one category, also under concurrent requests', async (t) => {
  for (let round = 0; round < raceRounds; round++) {
    const [one, two] = [await createCategory(box, 'One'), await createCategory(box, 'Two')];
    const handle = `wanted-${round}`;
    const answers = await Promise.all([
      staff.patch(one.path, { handle }),
      staff.patch(two.path, { handle }),
      staff.post('/admin/categories', { name: 'Third', handle }),
    ]);
    t.strictSame(
      statusesOf(answers).filter((status) => status !== 409),
      answers[2]?.status === 201 ? [201] : [200],
    );
    const swapped = await Promise.all([
      staff.patch(one.path, { handle: `former-${round}` }),
      staff.patch(two.path, { handle: `latter-${round}` }),
      staff.post('/admin/categories', { name: 'Same' }),
      staff.post('/admin/categories', { name: 'Same' }),
    ]);
    t.strictSame(statusesOf(swapped), [200, 200, 201, 201]);
    await clear();
  }
});
