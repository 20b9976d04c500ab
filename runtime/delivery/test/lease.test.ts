/**
 * Leases, in a table of their own: who gets what is due.
 */
import t from 'tap';
import { connect } from '../../db/connection.ts';
import { createTestDatabase } from '../../testing/database.ts';
import { type DueWork, selectDue } from '../lease.ts';

const { url, drop } = await createTestDatabase('empty');
const db = connect({ url, poolSize: 3 });
t.teardown(async () => {
  await db.destroy();
  await drop();
});
await db.raw(`create table work (
  id integer primary key, lane text, position integer, is_open boolean not null default true,
  next_attempt_at timestamptz not null default now(), leased_until timestamptz)`);

const work: DueWork = {
  table: 'work',
  key: 'id',
  order: 'due.position, due.id',
  limit: 2,
  leasedUntil: 'leased_until',
};
const lanes: DueWork = { ...work, waiting: (row) => `${row}.is_open`, inOrder: ['lane'], limit: 10 };

const idsOf = async (due: DueWork, on = db): Promise<number[]> =>
  (await on.raw(selectDue(due))).rows.map(({ id }: { id: number }) => id);
const lease = (id: number, seconds: number) =>
  db('work')
    .where({ id })
    .update({ leasedUntil: db.raw('now() + make_interval(secs => ?)', [seconds]) });

t.beforeEach(async () => {
  await db('work').delete();
});

t.test('two workers that claim at the same time get different rows', async (t) => {
  await db('work').insert([1, 2, 3].map((id) => ({ id, lane: `${id}`, position: id })));
  await db.transaction(async (first) => {
    t.strictSame(await idsOf(work, first), [1, 2]);
    await db.transaction(async (second) => {
      t.strictSame(await idsOf(work, second), [3], 'without waiting');
    });
  });
});

t.test('a row is due once its time has come, and its lease has ended', async (t) => {
  await db('work').insert([1, 2].map((id) => ({ id, lane: `${id}`, position: id })));
  await lease(1, 60);
  t.strictSame(await idsOf(work), [2]);
  await lease(1, -1);
  t.strictSame(await idsOf(work), [1, 2], 'its worker has died');
  await db('work')
    .where({ id: 2 })
    .update({ nextAttemptAt: db.raw("now() + interval '1 minute'") });
  t.strictSame(await idsOf(work), [1]);
  t.strictSame(await idsOf({ ...work, where: 'due.position > 1' }), []);
});

t.test('of a lane the first is due, also while it is leased or waits for its next attempt', async (t) => {
  await db('work').insert([
    { id: 1, lane: 'a', position: 1 },
    { id: 2, lane: 'a', position: 2 },
    { id: 4, lane: 'b', position: 3 },
    { id: 3, lane: 'b', position: 3 },
  ]);
  t.strictSame(await idsOf(lanes), [1, 3]);
  await lease(1, 60);
  t.strictSame(await idsOf(lanes), [3]);
  await lease(1, -1);
  await db('work')
    .where({ id: 1 })
    .update({ nextAttemptAt: db.raw("now() + interval '1 minute'") });
  t.strictSame(await idsOf(lanes), [3]);
  await db('work').whereIn('id', [1, 3]).update({ isOpen: false });
  t.strictSame(await idsOf(lanes), [2, 4], 'what no longer waits is overtaken');
});
