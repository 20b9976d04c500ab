/**
 * Tests that fail, for failures.test.ts: a process of its own runs them.
 */
import t from 'tap';
import { changeListeners } from '../../db/tenant-database.ts';
import { createTestBox } from '../box.ts';
import { extendBox } from '../extend-box.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { tier: 'basic', packages });

t.test('a test whose requests succeed', async (t) => {
  t.match(await box.visitor().get('/store'), { status: 200 }, 'passes');
  t.match(await box.visitor().get('/store'), { status: 418 }, 'wrong expectation');
});

t.test('a test with an error of the server', async (t) => {
  const listener = changeListeners.with(async () => {
    throw new Error('the disk is full');
  });
  extendBox(t, box, [listener]);
  const { status } = await box.staff.patch('/admin/store', { name: 'Linen' });
  await box.visitor().get('/store');
  await t.test('a subtest', async (t) => {
    t.equal(status, 200, 'asserted in a subtest');
  });
  t.equal(status, 200, 'asserted after other requests', { hint: 'a diagnostic of the test' });
  throw new Error('thrown');
});

t.test('a test with a refused request', async (t) => {
  const { status } = await box.staff.patch('/admin/store', { name: 5 });
  t.equal(status, 200, 'refused');
});

t.test('a test without requests', async (t) => {
  t.fail('asked nothing');
});
