/**
 * Rollbacks with data of a box that archives its write-ahead log: the data that is put back begins a timeline that the
 * archive does not have, and a point in time before and after can be restored.
 */
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { readArchiving } from '../backup/archiving.ts';
import { withDatabase } from '../backup/database.ts';
import { key, makeBox, type TestBox, until } from './support/box.ts';
import { changing, makeStore, order, ordersOf, storePackages } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const licence = { tier: 'basic', packages: storePackages };
const vendor = await startVendor(makeStore('1.0.0'), { [key]: licence });
t.teardown(() => vendor.close());

/** Archives what has been written, and waits until that has succeeded. */
async function archiveAll(box: TestBox): Promise<void> {
  await withDatabase(box.folder, async (client) => {
    const { rows } = await client.query('select pg_walfile_name(pg_current_wal_lsn()) as name');
    await client.query("select pg_logical_emit_message(true, 'test', 'x'), pg_switch_wal()");
    await until(async () => {
      const state = await client.query(
        `select last_archived_wal >= $1 as "isDone", last_failed_wal as failed from pg_stat_archiver`,
        [rows[0].name],
      );
      if (state.rows[0].failed) throw new Error(`${state.rows[0].failed} cannot be archived`);
      return state.rows[0].isDone;
    });
  });
}

t.test('what is put back is archived on timelines of its own', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.install(['--no-start']), { exitCode: 0 });
  const archive = join(box.dir, '..', 'archive of the WAL');
  await appendFile(box.folder.secrets, `WAL_ARCHIVE_FOLDER="${archive}"\n`);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  await order(box, 'berlin');
  const taken = await box.run(['backup', '--json']);
  t.match(taken, { exitCode: 0 });
  const { path } = taken.end.result as unknown as { path: string };

  for (const [version, expected] of [
    ['2.0.0', ['1001', '1002']],
    ['3.0.0', ['1001', '1002', '1003']],
  ] as const) {
    await order(box, 'berlin');
    vendor.publish(version, makeStore(version, [changing]));
    t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
    await order(box, 'berlin', 3);
    await archiveAll(box);
    t.match(await box.run(['rollback', '--with-data', '--accept-loss', '--json']), { exitCode: 0 });
    t.strictSame(await ordersOf(box, 'berlin'), expected);
    await archiveAll(box);
    t.match(await readArchiving(box.folder), { failing: false });
  }
  const names = await readdir(archive);
  t.strictSame(names.filter((name) => name.endsWith('.history')).sort(), ['00000002.history', '00000003.history']);

  await order(box, 'berlin');
  await sleep(1100);
  const toTime = await withDatabase(box.folder, async (client) =>
    (await client.query('select now() as time')).rows[0].time.toISOString(),
  );
  await sleep(1100);
  await order(box, 'berlin', 2);
  await archiveAll(box);
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await box.run(['restore', path, '--replace', '--to-time', toTime, '--json']), { exitCode: 0 });
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.strictSame(
    await ordersOf(box, 'berlin'),
    ['1001', '1002', '1003', '1004'],
    'the time is one of the newest timeline',
  );
  await order(box, 'berlin');
  await archiveAll(box);

  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await box.run(['restore', path, '--replace', '--json']), { exitCode: 0 });
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001'], 'a backup that was restored before');
  await archiveAll(box);
  t.match(await readArchiving(box.folder), { failing: false });
});
