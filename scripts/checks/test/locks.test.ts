/**
 * The check of the locks of the control plane: each form of a lock in small sources, and the control plane itself.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { root } from '../../test/support/stack.ts';
import { isChecked } from '../checks.ts';
import { openLocksIn, openLocksOf } from '../shape/locks.ts';

const taking = (type: string, work: string) => `export async function lock(on: ${type}, id: string) {\n  ${work};\n}\n`;

t.test('a function that locks gets a transaction', async (t) => {
  const locks = [
    "on('licences').where({ id }).forUpdate().first('id')",
    "on('licences').forNoKeyUpdate()",
    "on('licences').forShare()",
    "on('licences').forKeyShare()",
    "on.raw('select id from licences for update skip locked')",
    'on.raw(`select id from licences\n for no key update of licences`)',
    "on.raw('select id from licences FOR KEY SHARE')",
    "on.raw('select pg_advisory_xact_lock(?)', [1])",
    "on.raw('select pg_try_advisory_xact_lock(?)', [1])",
    "on.raw('lock table licences in exclusive mode')",
    "on.raw(selectDue({ table: 'licences' }))",
  ];
  for (const lock of locks) {
    t.strictSame(await openLocksOf(taking('Knex', lock)), [2], lock);
    t.strictSame(await openLocksOf(taking('Knex.Transaction', lock)), [], lock);
  }
  t.strictSame(await openLocksOf(taking('Knex', "on('licences').update({ id }).where('for', 'updates')")), []);
});

t.test('a statement of a constant locks where it is used', async (t) => {
  const constant = 'const due = `select id from licences for update`;\n';
  t.strictSame(await openLocksOf(constant), []);
  t.strictSame(await openLocksOf(constant + taking('Knex', 'on.raw(due)')), [3]);
  t.strictSame(await openLocksOf(constant + taking('Knex.Transaction', 'on.raw(due)')), []);
});

t.test('a function in a transaction, or in a function that gets one, may lock', async (t) => {
  const lock = "transaction('licences').forUpdate()";
  for (const safe of [
    `on.transaction(async (transaction) => ${lock})`,
    `on.transaction(async (transaction) => { await ${lock}; })`,
  ])
    t.strictSame(await openLocksOf(taking('Knex', safe)), [], safe);
  t.strictSame(await openLocksOf(taking('Knex.Transaction', `[1].map(() => on('licences').forUpdate())`)), []);
  t.strictSame(await openLocksOf(`const lock = (on: Knex.Transaction) => on('licences').forUpdate();`), []);
  t.strictSame(await openLocksOf(`const lock = (on: Knex) => on('licences').forUpdate();`), [1]);
  t.strictSame(await openLocksOf(taking('Knex', `${lock}.transaction(on)`)), [2], 'a call before it is in none');
});

t.test('a folder is read, but for its tests and migrations', async (t) => {
  const folder = t.testdir();
  const wrong = taking('Knex', "on('licences').forUpdate()");
  for (const file of ['plane/a.ts', 'plane/below/b.ts', 'plane/test/c.ts', 'plane/migrations/d.ts', 'plane/e.md']) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), wrong);
  }
  t.strictSame((await openLocksIn(folder, 'plane')).sort(), ['plane/a.ts:2', 'plane/below/b.ts:2']);
});

t.test('the control plane', async (t) => {
  t.strictSame(await openLocksIn(root, 'control-plane'), []);
  t.ok(isChecked('npm', 'run', '-s', 'shape'), 'npm run check runs it');
});
