/**
 * Contributions of tests: those of a box from its start, and those of one test.
 */
import t from 'tap';
import { changeListeners } from '../../db/tenant-database.ts';
import { createTestBox } from '../box.ts';
import { extendBox } from '../extend-box.ts';

const heard: string[] = [];
const listener = (name: string) => changeListeners.with(async (_, { table }) => void heard.push(`${name}: ${table}`));
const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { tier: 'basic', packages, extends: [listener('start')] });

/** Changes the store by a request; returns which listeners heard of it. */
async function change(): Promise<string[]> {
  heard.length = 0;
  t.match(await box.staff.patch('/admin/store', { name: 'Linen' }), { status: 200 });
  return [...heard];
}

t.test('a box has its contributions from the start, beside those of the packages', async (t) => {
  t.strictSame(await change(), ['start: stores']);
  const plain = await createTestBox(t, { tier: 'basic', packages });
  const own = changeListeners.of(plain.box.database).length;
  t.equal(changeListeners.of(box.box.database).length, own + 1);
});

t.test('a test adds contributions, and replaces those that it added before', async (t) => {
  extendBox(t, box, [listener('first')]);
  t.strictSame(await change(), ['start: stores', 'first: stores']);
  const db = extendBox(t, box, [listener('second'), listener('third')]);
  t.strictSame(await change(), ['start: stores', 'second: stores', 'third: stores']);
  t.equal(changeListeners.of(db).length, changeListeners.of(box.db).length + 2);
  await t.test('a subtest', async (t) => {
    extendBox(t, box, [listener('nested')], { without: [changeListeners] });
    t.strictSame(await change(), ['nested: stores']);
  });
  t.strictSame(await change(), ['start: stores', 'second: stores', 'third: stores'], 'until it ends');
});

t.test('the next test has the contributions from the start alone', async (t) => {
  t.strictSame(await change(), ['start: stores']);
});
