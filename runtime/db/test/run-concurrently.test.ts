/**
 * Concurrent work in a transaction fails together: none of it continues after the transaction was rolled back.
 */
import { createTestBox, writePackage } from '@carton/runtime/testing';
import t from 'tap';
import { runConcurrently } from '../run-concurrently.ts';

const migration = `export const up = (knex) => knex.raw(\`
  create table marks (tenant_id uuid not null references tenants (id), name text not null, primary key (tenant_id, name))\`);
export const down = (knex) => knex.raw('drop table marks');`;
const index = `import { definePackage } from '@carton/runtime';
export default definePackage({ routes: [] });`;
const written = { name: 'marks', dependencies: ['core', 'auth'], index, migration };
const { db } = await createTestBox(t, await writePackage(t, written, ['tenant']));

const mark = 'insert into marks (tenant_id, name) values ($1, $2)';
const marks = () => db.query<{ name: string }>('select name from marks where tenant_id = $1 order by name');

t.test('results have the order of the functions', async (t) => {
  const results = await db.transaction((tx) =>
    runConcurrently([
      () => tx.query('select 1 as one where $1::uuid is not null'),
      () => 'no statement',
      async () => (await tx.query('select 2 as two where $1::uuid is not null'))[0],
    ]),
  );
  t.strictSame(results, [[{ one: 1 }], 'no statement', { two: 2 }]);
});

t.test('the cause of the failure is thrown, and nothing is written after the transaction', async (t) => {
  const slow = async (tx: typeof db) => {
    await tx.query(mark, ['slow']);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await tx.query(mark, ['slow, later']);
  };
  const failing = () => Promise.reject(new Error('refused'));
  const twice = (tx: typeof db) => Promise.all([tx.query(mark, ['same']), tx.query(mark, ['same'])]);
  await t.rejects(
    db.transaction((tx) => runConcurrently([() => slow(tx), failing])),
    { message: 'refused' },
  );
  await t.rejects(
    db.transaction((tx) => runConcurrently([() => slow(tx), () => twice(tx), failing])),
    { code: '23505' },
    'the error of a later statement is not the cause',
  );
  t.strictSame(await marks(), []);
});
