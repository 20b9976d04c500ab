/**
 * The pool: a queue that has an end, and work that is ended at its deadline, in the database too.
 */
import t from 'tap';
import { createTestDatabase } from '../../testing/database.ts';
import { openDatabase } from '../database.ts';
import { DatabaseBusy } from '../errors.ts';
import { newId } from '../id.ts';

const { url, drop } = await createTestDatabase('empty');
const database = openDatabase({ url, poolSize: 1 });
const watcher = openDatabase({ url, poolSize: 1 });
t.teardown(async () => {
  await database.close();
  await watcher.close();
  await drop();
});
await watcher.box.query('create table notes (tenant_id uuid, id uuid, primary key (tenant_id, id))');

const sleep = 'select pg_sleep(600), $1::uuid';
const tenantId = newId();
/** What work is refused with. */
async function refusalOf(work: PromiseLike<unknown>) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DatabaseBusy)) throw error;
    return { message: error.message, retryAfter: error.retryAfter };
  }
  return undefined;
}

const tooLate = { message: /longer than it may/, retryAfter: 5 };
const soon = () => performance.now() + 300;

/** Sessions that still run a statement. */
async function running(): Promise<number> {
  const [row] = await watcher.box.query<{ count: number }>(
    `select count(*) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );
  return row?.count as number;
}

async function untilNoneRuns(): Promise<void> {
  while ((await running()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

t.test('a statement past the deadline is ended, here and in the database', async (t) => {
  t.match(await refusalOf(database.forTenant(tenantId, null, soon()).query(sleep)), tooLate);
  await untilNoneRuns();
  t.strictSame(await database.forTenant(tenantId).query('select 1 as one where $1::uuid is not null'), [{ one: 1 }]);
});

t.test('a transaction past the deadline leaves nothing', async (t) => {
  const late = database.forTenant(tenantId, null, soon()).transaction(async (tx) => {
    await tx.insert('notes', { id: newId() });
    await tx.query(sleep);
  });
  t.match(await refusalOf(late), tooLate);
  const idle = database.forTenant(tenantId, null, soon()).transaction(async (tx) => {
    await tx.insert('notes', { id: newId() });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await tx.insert('notes', { id: newId() });
  });
  t.match(await refusalOf(idle), tooLate, 'also one that did nothing meanwhile');
  await untilNoneRuns();
  t.strictSame(await watcher.box.query('select * from notes'), []);
});

t.test('work whose deadline has passed is not begun', async (t) => {
  const db = database.forTenant(tenantId, null, performance.now());
  for (const work of [db.query('select $1::uuid'), db.table('notes').select(), db.insert('notes', { id: newId() })])
    t.match(await refusalOf(work), tooLate);
  t.strictSame(await watcher.box.query('select * from notes'), []);
});

t.test('whoever comes to a full queue is told to come again', async (t) => {
  const db = database.forTenant(tenantId);
  const one = refusalOf(database.forTenant(tenantId, null, soon()).query(sleep));
  const given = Array.from({ length: 40 }, () => db.query('select 1 as one where $1::uuid is not null'));
  const refused = (await Promise.all(given.map(refusalOf))).filter((refusal) => refusal !== undefined);
  t.match(await one, tooLate);
  t.equal(refused.length, 8, 'thirty-two wait for a connection');
  for (const refusal of refused) {
    t.match(refusal, { message: /Too many/, retryAfter: 1 });
  }
});

t.test('a statement alone may take as long as its pool allows', async (t) => {
  const short = openDatabase({ url, poolSize: 1, statementTimeout: 200 });
  t.teardown(() => short.close());
  await t.rejects(short.box.query('select pg_sleep(600)'), { code: '57014' });
  t.strictSame(await short.box.query('select 1 as one'), [{ one: 1 }], 'its connection is as good as before');
});
