/**
 * Prepared statements: their rows, how often columns are described, and errors. Those that share a Sync:
 * shared-sync.test.ts.
 */
import { createTestDatabase, exactly } from '@carton/runtime/testing';
import t from 'tap';
import type { Connection } from '../client.ts';
import { connect } from '../connection.ts';
import { withConnection } from '../pool.ts';
import { queryPrepared } from '../prepared-query.ts';

const { url } = await createTestDatabase('empty');
const knex = connect({ url, poolSize: 1 });
t.teardown(() => knex.destroy());

const run = (connection: Connection, text: string, ...values: unknown[]) =>
  queryPrepared(connection, { name: text, text, values });

t.test('rows are objects with camelCase names and the values of JavaScript', async (t) => {
  const text = `select $1::bigint as line_total, null::text as "note", 1.5::numeric as rate, '{"a_b":1}'::jsonb as data,
                       '2026-02-28 09:30:00.123456+00'::timestamptz as created_at from generate_series(1, $2::int)`;
  const row = { lineTotal: 7, note: null, rate: '1.5', data: { a_b: 1 }, createdAt: '2026-02-28T09:30:00.123Z' };
  await withConnection(knex, async (connection) => {
    t.strictSame(await run(connection, text, 7, 2), [row, row]);
    t.strictSame(await run(connection, text, 7, 1), [row], 'again, without a description');
    t.strictSame(await run(connection, text, 7, 0), []);
  });
});

t.test('the columns of a statement are described once for each connection', async (t) => {
  await withConnection(knex, async (connection) => {
    const described: string[] = [];
    const { connection: protocol } = connection as unknown as { connection: { describe(portal: object): void } };
    const describe = protocol.describe.bind(protocol);
    protocol.describe = (portal) => {
      described.push('described');
      describe(portal);
    };
    await run(connection, 'create table once (id int)');
    await run(connection, 'create table if not exists once (id int)');
    t.strictSame(described, ['described', 'described']);
    const insert = 'insert into once values ($1)';
    t.strictSame(await run(connection, insert, 1), []);
    t.strictSame(await run(connection, insert, 2), []);
    t.equal(described.length, 3, 'also of one without columns');
    const [one, other] = await Promise.all([
      run(connection, 'select id from once where id = $1', 1),
      run(connection, 'select id from once where id = $1', 2),
    ]);
    t.strictSame([one, other], [[{ id: 1 }], [{ id: 2 }]], 'two in one round trip');
    t.strictSame(await run(connection, 'select id from once where id = $1', 2), [{ id: 2 }]);
    t.equal(described.length, 5);
  });
});

t.test('errors end their statement only', async (t) => {
  await withConnection(knex, async (connection) => {
    const divide = 'select 1 / $1::int as result';
    await t.rejects(run(connection, divide, 0), { code: '22012', stack: /prepared-query/ });
    t.strictSame(await run(connection, divide, 1), [{ result: 1 }]);
    await t.rejects(run(connection, divide, 0), { code: '22012' }, 'and without a description');
    await t.rejects(run(connection, 'select from later'), { code: '42P01' });
    await run(connection, 'create table later (id int)');
    t.strictSame(await run(connection, 'select from later'), [], 'it is prepared at the next attempt');
    const failing = {
      toPostgres: () => {
        throw new Error('cannot be sent');
      },
    };
    await t.rejects(run(connection, divide, failing), /cannot be sent/);
    await t.resolveMatch(run(connection, divide, 1), exactly([{ result: 1 }]), 'it is prepared again');
    await t.rejects(run(connection, `select '{'::text::json as broken where $1::int = 0`, 0), { code: '22P02' });
    t.strictSame(await run(connection, divide, 1), [{ result: 1 }]);
  });
});

t.test('a statement whose columns have changed fails, and never returns values under other names', async (t) => {
  await withConnection(knex, async (connection) => {
    await run(connection, 'create table changing (id int, note text)');
    await run(connection, `insert into changing values (1, 'first')`);
    const select = 'select * from changing where id = $1';
    t.strictSame(await run(connection, select, 1), [{ id: 1, note: 'first' }]);
    await run(connection, 'alter table changing drop column note, add column added text');
    await t.rejects(run(connection, select, 1), /must not change result type/);
  });
});

t.test('a statement whose columns a migration has changed is prepared again', async (t) => {
  await withConnection(knex, async (connection) => {
    const select = 'select * from renewed';
    const read = (repeats: boolean) =>
      queryPrepared(connection, { name: 'renewed', text: select, values: [], repeats });
    await run(connection, 'create table renewed as select 1 as one');
    t.strictSame(await read(true), [{ one: 1 }]);
    await run(connection, 'alter table renewed add column two int');
    await t.resolveMatch(read(true), exactly([{ one: 1, two: null }]), 'at once outside a transaction');
    await run(connection, 'alter table renewed add column three int');
    const outdated = { code: '0A000', routine: 'RevalidateCachedQuery' };
    await t.rejects(read(false), outdated);
    await t.resolveMatch(read(false), exactly([{ one: 1, two: null, three: null }]), 'by the next execution in one');
    await run(connection, 'alter table renewed drop column two');
    const both = exactly([[{ one: 1, three: null }], [{ one: 1, three: null }]]);
    await t.resolveMatch(Promise.all([read(true), read(true)]), both, 'two in one round trip');
  });
});
