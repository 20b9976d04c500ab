/**
 * Reads behind the commit of a transaction, in the same round trip.
 */
import t from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { countRoundTrips } from '../../testing/round-trips.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';
import type { TenantDatabase } from '../tenant-database.ts';

const { url, drop } = await createTestDatabase('empty');
const database = openDatabase({ url, poolSize: 3 });
t.teardown(async () => {
  await database.close();
  await drop();
});
await database.box.query('create table notes (tenant_id uuid, note text primary key)');
const db = database.forTenant(newId());
const insert = (tx: TenantDatabase, note: string) => tx.query('insert into notes values ($1, $2)', [note]);
const notesIn = async (from: TenantDatabase) =>
  (await from.query<{ note: string }>('select note from notes where tenant_id = $1 order by note', [])).map(
    ({ note }) => note,
  );
t.beforeEach(() => database.box.query('delete from notes'));

t.test('the last statements, the commit and the reads take one round trip', async (t) => {
  const work = () =>
    db.transactionThen(
      async (tx) => {
        await insert(tx, 'one');
        return { sent: insert(tx, 'two'), value: 'value' };
      },
      async (one, value) => [one.inTransaction, value, await notesIn(one)],
    );
  await db.pipelined(notesIn);
  let found: unknown;
  const trips = await countRoundTrips(database, async () => {
    found = await work();
  });
  t.equal(trips, 2);
  t.strictSame(found, [false, 'value', ['one', 'two']]);
});

t.test('a failure that the work ignores rolls it back, and is an error', async (t) => {
  const ignoring = async (tx: TenantDatabase) => {
    tx.afterCommit(() => t.fail('it is committed'));
    await insert(tx, 'one');
    await insert(tx, 'one').catch(() => {});
    return { sent: Promise.resolve(), value: null };
  };
  const failed = { message: 'a statement of the transaction has failed' };
  await t.rejects(db.transaction(ignoring), failed);
  await t.rejects(
    db.transactionThen(ignoring, (one) => notesIn(one)),
    failed,
  );
  t.strictSame(await notesIn(db), []);
});

t.test('a last statement that fails rolls the work back', async (t) => {
  let isReverted = false;
  const failing = db.transactionThen(
    async (tx) => {
      tx.afterCommit(() => t.fail('it is committed'));
      tx.afterRollback(async () => {
        isReverted = true;
      });
      await insert(tx, 'one');
      return { sent: insert(tx, 'one'), value: null };
    },
    (one) => notesIn(one),
  );
  await t.rejects(failing, { code: '23505' });
  t.ok(isReverted);
  t.strictSame(await notesIn(db), []);
});

t.test('what fails before it is sent rolls the work back', async (t) => {
  const refuse = async () => {
    throw new Error('no such event');
  };
  const failing = db.transactionThen(
    async (tx) => {
      await insert(tx, 'one');
      return { sent: refuse(), value: null };
    },
    () => t.fail('it is read') as never,
  );
  await t.rejects(failing, /no such event/);
  t.strictSame(await notesIn(db), []);
});

t.test('a read that fails leaves the work committed', async (t) => {
  let isReverted = false;
  let isCommitted = false;
  const failing = db.transactionThen(
    async (tx) => {
      tx.afterCommit(() => {
        isCommitted = true;
      });
      tx.afterRollback(async () => {
        isReverted = true;
      });
      return { sent: insert(tx, 'one'), value: null };
    },
    (one) => one.query('select $1::uuid, 1 / 0'),
  );
  await t.rejects(failing, { code: '22012' });
  t.strictSame([isCommitted, isReverted], [true, false]);
  t.strictSame(await notesIn(db), ['one']);
});

t.test('inside a transaction the reads join it', async (t) => {
  await t.rejects(
    db.transaction(async (tx) => {
      const found = await tx.transactionThen(
        async (same) => ({ sent: insert(same, 'one'), value: same }),
        async (one, same) => [one === same, one.inTransaction, await notesIn(one)],
      );
      t.strictSame(found, [true, true, ['one']]);
      throw new Error('back');
    }),
    /back/,
  );
  t.strictSame(await notesIn(db), []);
});

t.test('the last statements of a transaction share the round trip of its commit', async (t) => {
  let result: unknown;
  const trips = await countRoundTrips(database, async () => {
    result = await db.transactionWithLast(async (tx) => {
      await insert(tx, 'one');
      return { last: insert(tx, 'two').then(() => 'done') };
    });
  });
  t.strictSame([trips, result], [2, 'done']);
  t.strictSame(await notesIn(db), ['one', 'two']);
});

t.test('a last statement that fails rolls the transaction back', async (t) => {
  const failing = db.transactionWithLast(async (tx) => {
    await insert(tx, 'one');
    return { last: Promise.all([insert(tx, 'two'), insert(tx, 'one')]) };
  });
  await t.rejects(failing, { code: '23505' });
  t.strictSame(await notesIn(db), []);
});

t.test('what is sent behind the commit is refused, and not written outside of the transaction', async (t) => {
  const late = (send: (tx: TenantDatabase) => Promise<unknown>) =>
    db.transactionWithLast(async (tx) => {
      await notesIn(tx);
      return { last: insert(tx, 'one').then(() => send(tx)) };
    });
  for (const send of [
    (tx: TenantDatabase) => insert(tx, 'late'),
    (tx: TenantDatabase) => insert(tx.as({ type: 'operator' } as never), 'late'),
    async (tx: TenantDatabase) => tx.table('notes').insert({ note: 'late' }),
  ]) {
    await t.rejects(late(send), /the commit of this transaction is sent/);
    t.strictSame(await notesIn(db), ['one']);
    await database.box.query('delete from notes');
  }
});
