/**
 * Pipelined reads: one connection, one round trip, no transaction.
 */
import t from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { exactly } from '../../testing/exactly.ts';
import { countRoundTrips } from '../../testing/round-trips.ts';
import { openDatabase } from '../database.ts';
import { newId } from '../id.ts';

const { url, drop } = await createTestDatabase('empty');
const database = openDatabase({ url, poolSize: 3 });
t.teardown(async () => {
  await database.close();
  await drop();
});
const db = database.forTenant(newId());
const read = (from: typeof db) =>
  from.query<{ tenant: string; pid: number }>('select $1::text as tenant, pg_backend_pid() as pid');
const count = (work: () => Promise<unknown>) => countRoundTrips(database, work);

t.test('concurrent reads take one round trip on one connection', async (t) => {
  t.equal(await count(() => Promise.all([read(db), read(db), read(db)])), 3, 'without it, each takes one');
  t.equal(await count(() => db.pipelined((one) => Promise.all([read(one), read(one), read(one)]))), 1);
  t.equal(
    await count(() => db.pipelined(async (one) => [await read(one), await read(one)])),
    2,
    'the second waits for the first',
  );
  const pids = await db.pipelined((one) => Promise.all([read(one), read(one)]));
  t.equal(pids[0][0]?.pid, pids[1][0]?.pid);
});

t.test('they run as the tenant, without a transaction', async (t) => {
  const other = database.forTenant(newId());
  for (const each of [db, other, db]) {
    const results = await each.pipelined((one) => Promise.all([read(one), one.pipelined(read)]));
    t.strictSame(
      results.map(([row]) => row?.tenant),
      [each.tenantId, each.tenantId],
    );
  }
  await db.pipelined(async (one) => {
    t.equal(one.inTransaction, false);
    await t.rejects(one.transaction(read), /no transaction can be begun among pipelined reads/);
    const [first] = await one.query<{ now: string }>('select $1::text, now()::text as now');
    const [second] = await one.query<{ now: string }>('select $1::text, now()::text as now');
    t.not(first?.now, second?.now);
    let calls = 0;
    one.afterCommit(() => calls++);
    t.equal(calls, 1, 'there is no commit to wait for');
  });
});

t.test('inside a transaction they join it', async (t) => {
  await db.transaction(async (tx) => {
    t.ok(await tx.pipelined(async (one) => one.inTransaction));
    const [[one], [two]] = await Promise.all([read(tx), tx.pipelined(read)]);
    t.equal(one?.pid, two?.pid);
  });
});

t.test('the connection is released after a failure', async (t) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    await t.rejects(db.pipelined((one) => Promise.all([read(one), one.query('select $1::text / 0'), read(one)])));
  }
  t.match(await db.pipelined(read), exactly([{ tenant: db.tenantId }]));
});
