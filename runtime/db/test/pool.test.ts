/**
 * The pool: its queue is bounded, and work is cancelled at its deadline, in the database too.
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
/** The DatabaseBusy error of some work; undefined if it succeeds. */
async function refusalOf(work: PromiseLike<unknown>) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof DatabaseBusy)) throw error;
    return { message: error.message, retryAfter: error.retryAfter };
  }
  return undefined;
}

const deadlineExceeded = { message: /exceeded its time limit/, retryAfter: 5 };
const soon = () => performance.now() + 300;

/** Sessions that still run a statement. */
async function running(): Promise<number> {
  const [row] = await watcher.box.query<{ count: number }>(
    `select count(*) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );
  return row?.count as number;
}

async function untilNoStatementRuns(): Promise<void> {
  while ((await running()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}

t.test('a statement past the deadline is cancelled, here and in the database', async (t) => {
  t.match(await refusalOf(database.forTenant(tenantId, null, soon()).query(sleep)), deadlineExceeded);
  await untilNoStatementRuns();
  t.strictSame(await database.forTenant(tenantId).query('select 1 as one where $1::uuid is not null'), [{ one: 1 }]);
});

t.test('a transaction past the deadline is rolled back', async (t) => {
  const late = database.forTenant(tenantId, null, soon()).transaction(async (tx) => {
    await tx.insert('notes', { id: newId() });
    await tx.query(sleep);
  });
  t.match(await refusalOf(late), deadlineExceeded);
  const idle = database.forTenant(tenantId, null, soon()).transaction(async (tx) => {
    await tx.insert('notes', { id: newId() });
    await new Promise((resolve) => setTimeout(resolve, 600));
    await tx.insert('notes', { id: newId() });
  });
  t.match(await refusalOf(idle), deadlineExceeded, 'also one that was idle at the deadline');
  await untilNoStatementRuns();
  t.strictSame(await watcher.box.query('select * from notes'), []);
});

t.test('work whose deadline has passed is not started', async (t) => {
  const db = database.forTenant(tenantId, null, performance.now());
  for (const work of [db.query('select $1::uuid'), db.table('notes').select(), db.insert('notes', { id: newId() })])
    t.match(await refusalOf(work), deadlineExceeded);
  t.strictSame(await watcher.box.query('select * from notes'), []);
});

t.test('work is refused while the queue is full', async (t) => {
  const db = database.forTenant(tenantId);
  const one = refusalOf(database.forTenant(tenantId, null, soon()).query(sleep));
  const queries = Array.from({ length: 40 }, () => db.query('select 1 as one where $1::uuid is not null'));
  const refused = (await Promise.all(queries.map(refusalOf))).filter((refusal) => refusal !== undefined);
  t.match(await one, deadlineExceeded);
  t.equal(refused.length, 8, 'thirty-two wait for a connection');
  for (const refusal of refused) {
    t.match(refusal, { message: /Too many/, retryAfter: 1 });
  }
});

t.test('without a deadline the statement timeout of the pool applies', async (t) => {
  const short = openDatabase({ url, poolSize: 1, statementTimeout: 200 });
  t.teardown(() => short.close());
  await t.rejects(short.box.query('select pg_sleep(600)'), { code: '57014' });
  t.strictSame(await short.box.query('select 1 as one'), [{ one: 1 }], 'the connection stays usable');
});
