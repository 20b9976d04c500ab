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

t.test(
  'a backup of data that was replaced reaches what was sold with it, and another is named for later times',
  async (t) => {
    vendor.publish('1.0.0', makeStore('1.0.0'));
    const box = await makeBox(t, vendor);
    t.match(await box.install(['--no-start']), { exitCode: 0 });
    await appendFile(box.folder.secrets, `WAL_ARCHIVE_FOLDER="${join(box.dir, '..', 'archive')}"\n`);
    t.match(await box.run(['start', '--json']), { exitCode: 0 });
    const backUp = async () => {
      const { end } = await box.run(['backup', '--json']);
      return (end.result as unknown as { path: string }).path;
    };
    const now = async () => {
      await sleep(1100);
      const { rows } = await withDatabase(box.folder, (client) => client.query('select now() as time'));
      await sleep(1100);
      return rows[0].time.toISOString() as string;
    };
    const restoreTo = async (path: string, time: string) => {
      t.match(await box.run(['stop', '--json']), { exitCode: 0 });
      const restored = await box.run(['restore', path, '--replace', '--to-time', time, '--json']);
      t.match(await box.run(['start', '--json']), { exitCode: 0 });
      return restored;
    };

    await order(box, 'berlin');
    const before = await backUp();
    vendor.publish('2.0.0', makeStore('2.0.0', [changing]));
    t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
    await order(box, 'paris');
    const replaced = await backUp();
    await order(box, 'paris');
    const whileReplaced = await now();
    await order(box, 'paris');
    t.match(await box.run(['rollback', '--with-data', '--accept-loss', '--json']), { exitCode: 0 });
    await order(box, 'berlin');
    const afterwards = await now();
    await order(box, 'berlin');
    await archiveAll(box);

    const refused = await restoreTo(replaced, afterwards);
    t.match(refused, {
      exitCode: 2,
      end: {
        error: {
          code: 'usage',
          message:
            /does not reach .*: it is of data that a rollback or a restore has replaced, whose last transaction is of 20/,
          advice: `Nothing was changed. Use ${before}, which reaches it`,
        },
      },
    });
    t.notMatch(refused.stdout, /child of this server/);
    t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003'], 'nothing has changed');
    t.match(await restoreTo(before, afterwards), { exitCode: 0 });
    t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002']);

    t.match(await restoreTo(before, new Date().toISOString()), {
      exitCode: 2,
      end: { error: { code: 'usage', message: /the archive .* does not reach .*: its last transaction is of 20/ } },
    });

    const followed = await restoreTo(replaced, whileReplaced);
    t.match(followed, { exitCode: 0 });
    t.ok(followed.events.some(({ event }) => event === 'replaced_data'));
    t.match(await box.ask(), { version: '2.0.0' });
    t.strictSame(await ordersOf(box, 'paris'), ['1001', '1002'], 'what the replaced data was at that time');
    await order(box, 'paris');
    await archiveAll(box);
    t.match(await readArchiving(box.folder), { failing: false }, 'on a timeline of its own');
  },
);
