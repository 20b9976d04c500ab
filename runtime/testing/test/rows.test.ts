/**
 * The digests by which the contract suite notices that a request has changed rows.
 */
import pg from 'pg';
import t from 'tap';
import { changedTables, openRows } from '../contract/rows.ts';
import type { Side } from '../contract/target.ts';
import { administerAt, createTestDatabase } from '../database.ts';

const [one, other] = ['0198f5a2-7c1e-7b5a-9f51-3f6a52a1c001', '0198f5a2-7c1e-7b5a-9f51-3f6a52a1c002'];
const side = { identity: one } as Side;
const { url, drop } = await createTestDatabase('empty');
t.teardown(drop);
await administerAt(
  url,
  'create table notes (tenant_id uuid not null, id integer, text text, seen_at integer)',
  'create table shared (id integer, text text)',
  'create table counters (tenant_id uuid not null, number integer)',
  `insert into notes values ('${one}', 1, 'a', 0), ('${one}', 2, 'b', 0), ('${other}', 1, 'c', 0)`,
  `insert into shared values (1, 'of ${one}'), (2, 'of ${other}')`,
);
const rows = openRows(url, { tables: ['counters'], columns: ['seen_at'], rows: { shared: 'id > 100' } });
t.teardown(() => rows.close());

t.test('a change of the rows of a side changes the digest of their table', async (t) => {
  const changes: [statement: string, changed: string[]][] = [
    [`insert into notes values ('${one}', 3, 'd', 0)`, ['notes']],
    [`update notes set text = 'e' where tenant_id = '${one}' and id = 3`, ['notes']],
    [`delete from notes where tenant_id = '${one}' and id = 3`, ['notes']],
    [`update shared set text = 'now of ${one}' where id = 1`, ['shared']],
    [`insert into shared values (3, '{"a":"${one}"}')`, ['shared']],
    [`delete from notes where id = 2; update shared set id = 4 where id = 3`, ['notes', 'shared']],
    // Not of this side, or declared as changing without requests.
    [`update notes set text = 'f' where tenant_id = '${other}'`, []],
    [`delete from shared where text = 'of ${other}'`, []],
    [`update notes set seen_at = seen_at + 1`, []],
    [`insert into counters values ('${one}', 1)`, []],
    [`insert into shared values (101, 'of ${one}')`, []],
    // Another version of the same row.
    [`update notes set text = text`, []],
  ];
  for (const [statement, changed] of changes) {
    const before = await rows.digest(side);
    await administerAt(url, statement);
    t.strictSame(changedTables(before, await rows.digest(side)), changed, statement);
  }
});

t.test('a transaction that began earlier and is committed later is noticed', async (t) => {
  await administerAt(url, `insert into notes values ('${one}', 10, 'a', 0), ('${one}', 11, 'b', 0)`);
  // The first row has the newest version when the older transaction commits its own.
  const early = new pg.Client({ connectionString: url });
  await early.connect();
  await early.query(`begin; update notes set text = 'early' where tenant_id = '${one}' and id = 10`);
  await administerAt(url, `update notes set text = 'late' where tenant_id = '${one}' and id = 11`);
  const before = await rows.digest(side);
  await early.query('commit');
  await early.end();
  t.strictSame(changedTables(before, await rows.digest(side)), ['notes']);
});

t.test('the ids of a side are those in its rows', async (t) => {
  t.ok((await rows.ids(side)).has(one));
  t.notOk((await rows.ids(side)).has(other));
});
