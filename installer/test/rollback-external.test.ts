/**
 * Upgrades and rollbacks of a box with a database of the operator's own. Needs Debian's package `postgresql`, except the last.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { startBox } from '../backup/test/support/box.ts';
import { type DebianPostgres, missing, query, startDebianPostgres } from '../backup/test/support/debian.ts';
import { findRunningBox } from '../box/running.ts';
import { readRecords } from '../upgrade/record.ts';
import { key, makeBox, type TestBox } from './support/box.ts';
import { additive, changing, makeStore, order, ordersOf, storePackages, type TestMigration } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const licence = { tier: 'basic', packages: storePackages };
const vendor = await startVendor(makeStore('1.0.0'), { [key]: licence });
t.teardown(() => vendor.close());
t.beforeEach(() => vendor.publish('1.0.0', makeStore('1.0.0')));

/** It refers to a former table, so that the latter cannot be dropped alone. */
const referring: TestMigration = {
  file: '20260302000000_store_notes.js',
  kind: 'changing',
  sql: 'alter table tenants add unique (slug); create table notes (store text references tenants (slug))',
};

const more: TestMigration = {
  ...changing,
  file: '20260401000000_store_more.js',
  sql: 'create table more ()',
};

async function makeOwned(t: Test, urlOf: (folder: string) => Promise<string>): Promise<{ box: TestBox; url: string }> {
  const box = await makeBox(t, vendor);
  const folder = dirname(box.dir);
  const url = await urlOf(folder);
  t.match(await box.install([], { DATABASE_URL: url }), { exitCode: 0 });
  return { box, url };
}

/** Runs the shell command of an advice. */
async function follow(advice: string, url: string): Promise<void> {
  const [command] = /\{ echo .*"\$DATABASE_URL"/.exec(advice) ?? [];
  if (!command) throw new Error(`no command in: ${advice}`);
  await promisify(execFile)('sh', ['-c', command], { env: { PATH: process.env.PATH, DATABASE_URL: url } });
}

t.test('Rollback of code, and of data by the command that is printed', { skip: missing }, async (t) => {
  let server: DebianPostgres | undefined;
  const { box, url } = await makeOwned(t, async (folder) => {
    server = await startDebianPostgres(t, folder);
    return server.createOwned('the store');
  });
  await order(box, 'berlin', 2);
  vendor.publish('1.1.0', makeStore('1.1.0', [additive]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  t.match((await readRecords(box.folder))[0], { state: 'done', backup: { kind: 'dump' } });
  await order(box, 'berlin');
  t.match(await box.run(['rollback', '--json']), { exitCode: 0, end: { result: { to: { version: '1.0.0' } } } });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003'], 'every order stays');
  await server?.restart();

  vendor.publish('2.0.0', makeStore('2.0.0', [additive, changing, referring]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  const since = await order(box, 'paris', 2);
  t.match(await box.run(['rollback', '--json']), {
    exitCode: 21,
    end: { error: { code: 'would_lose_data', advice: /rollback --with-data/ } },
  });
  for (const accepted of [[], ['--accept-loss']]) {
    const refused = await box.run(['rollback', '--with-data', ...accepted, '--json']);
    t.match(refused, {
      exitCode: 21,
      end: { error: { message: /loses 2 orders/, lost: { orders: { paris: since } } } },
    });
    t.match(await box.ask(), { version: '2.0.0' }, 'nothing has changed');
  }
  const { end } = await box.run(['rollback', '--with-data', '--json']);
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  const { dump } = end.error as unknown as { dump: string };
  // Without the dump, psql gets no commit.
  await follow(end.error?.advice.replaceAll(dump, `${dump}.missing`) ?? '', url);
  t.strictSame(
    await query(url, 'select count(*)::integer as count from notes'),
    [{ count: 0 }],
    'a failure changes nothing',
  );
  await follow(end.error?.advice ?? '', url);
  t.match(await box.run(['rollback', '--with-data', '--json']), {
    exitCode: 0,
    end: { result: { running: true, to: { version: '1.0.0' } } },
  });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003']);
  t.strictSame(await ordersOf(box, 'paris'), []);
  t.match((await readRecords(box.folder))[0], { state: 'rolled_back' });
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 }, 'and forward: no table of the newer release was left');

  t.match(await box.run(['rollback', '--with-data', '--json']), { exitCode: 21 });
  await rm(box.folder.upgrades, { recursive: true });
  t.match(await box.run(['rollback', '--with-data', '--json']), { exitCode: 22 }, 'without the backup');
});

t.test('A release that fails tells how its migrations are undone', { skip: missing }, async (t) => {
  const { box, url } = await makeOwned(t, async (folder) =>
    (await startDebianPostgres(t, folder)).createOwned('berlin'),
  );
  await order(box, 'berlin', 2);
  vendor.publish('2.0.0', makeStore('2.0.0', [changing, referring], 'breaks its products'));
  const failed = await box.run(['upgrade', '--json']);
  t.match(failed, { exitCode: 18, end: { error: { code: 'taken_back' } } });
  const warning = failed.events
    .map((event) => (event as { message?: string }).message ?? '')
    .find((text) => text.includes('keeps 2 migrations of release 2.0.0'));
  t.match(await box.ask(), { version: '1.0.0' });
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  await follow(warning ?? '', url);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002']);
  t.match(
    await readRecords(box.folder),
    exactly([{ state: 'taken_back', backup: { kind: 'dump' } }]),
    'the dump stays',
  );
});

t.test('The way back from a release that failed stays until another one is installed', { skip: missing }, async (t) => {
  const { box, url } = await makeOwned(t, async (folder) =>
    (await startDebianPostgres(t, folder)).createOwned('berlin'),
  );
  const said = ({ events }: { events: unknown[] }) =>
    events.map((event) => (event as { message?: string }).message ?? '').filter((text) => text.includes('keeps'));
  const upgrade = async (version: string, migrations: TestMigration[], behaviour?: 'breaks its products') => {
    vendor.publish(version, makeStore(version, migrations, behaviour));
    return box.run(['upgrade', '--json']);
  };
  const broken = { ...referring, file: '20260303000000_store_broken.js', sql: 'create table berlin (id no_type)' };
  const failed = { exitCode: 18, end: { error: { code: 'taken_back' } } };

  await order(box, 'berlin', 2);
  t.match(await upgrade('2.0.0', [broken]), failed);
  t.strictSame(await readRecords(box.folder), [], 'a migration that fails leaves nothing to go back from');
  t.match(await upgrade('2.0.1', [changing], 'breaks its products'), failed);
  const [first] = await readRecords(box.folder);
  const dump = join(box.folder.upgrades, first?.id ?? '', 'database/database/database.dump');
  t.ok(existsSync(dump));
  await query(url, "insert into orders (number) values ('since')");

  const kept = [/keeps 1 migration of release 2\.0\.1, which failed its check .*store_drop_legacy/];
  vendor.publish('2.0.2', makeStore('2.0.2', [changing]));
  t.match((await box.run(['plan', '--json'])).end.result, {
    migrations: exactly([]),
    keptMigrations: exactly([{ release: '2.0.1', dump, migrations: exactly([{ file: changing.file }]) }]),
    backup: true,
  });
  t.match((await box.run(['plan'])).stdout, /\nbackup {6}of the database, before the switch\n.*\ndatabase {4}keeps 1/);
  t.match((await box.run(['status'])).stdout, /\nwarning {3}the database keeps 1 migration of release 2\.0\.1/);
  t.match(
    (await box.run(['doctor', '--offline'])).stdout,
    /\nwarning: database {2}the database keeps 1 migration.*stop all boxes/,
  );
  const second = await upgrade('2.0.2', [changing], 'breaks its products');
  t.match(second, failed);
  t.match(said(second), exactly(kept), 'the upgrade says what the database keeps, and from which release');
  t.match(await readRecords(box.folder), exactly([{ id: first?.id }]), 'it has changed nothing, and needs no backup');
  t.match(await upgrade('2.1.0', [changing, more], 'breaks its products'), failed);
  vendor.publish('1.0.0', makeStore('1.0.0'));
  t.match(await box.install(), { exitCode: 0 });
  t.match(await upgrade('1.0.1', []), { exitCode: 0 });
  t.match(await upgrade('1.0.2', []), { exitCode: 0 }, 'with a backup of its own, as the one before');
  t.ok(existsSync(dump), 'the data of before outlives newer backups');

  const good = await upgrade('2.2.0', [changing, more]);
  t.match(good, { exitCode: 0 });
  t.match((await readRecords(box.folder))[0], { state: 'done', backup: { kind: 'dump' } });
  t.ok(existsSync(dump), 'and stays as long as the upgrade can be undone');
  for (const command of ['status', 'doctor']) {
    t.notMatch((await box.run([command])).stdout, /keeps/, `the release has the migrations: ${command}`);
  }
  const back = await box.run(['rollback', '--json']);
  t.match(back, { exitCode: 0 }, 'to what it was before the upgrade');
  t.match(said(back), exactly([kept[0], /keeps 1 migration of release 2\.1\.0.*store_more/]));
  t.strictSame(await query(url, "select count(*)::integer as count from orders where number like 'since%'"), [
    { count: 1 },
  ]);
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  await follow(said(back)[0] ?? '', url);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002'], 'the data of before the first failure');
  t.notMatch((await box.run(['status'])).stdout, /keeps/);
  for (const version of ['2.3.0', '2.4.0']) {
    const name = version.replaceAll('.', '_');
    const later = { ...additive, file: `20260501_${name}.js`, sql: `create table later_${name} ()` };
    t.match(await upgrade(version, [changing, later]), { exitCode: 0 });
  }
  t.notOk(existsSync(dump), 'it goes with the upgrades after it');
});

t.test('A backup of the operator is named as the way back', async (t) => {
  const { server } = await startBox(t);
  const { box } = await makeOwned(t, async () => {
    await query(server.url, 'drop table if exists orders cascade');
    return server.url;
  });
  vendor.publish('2.0.0', makeStore('2.0.0', [changing], 'breaks its products'));
  const failed = await box.run(['upgrade', '--own-backup', '--json']);
  t.match(failed, { exitCode: 18 });
  t.match(failed.stdout, /keeps 1 migration of release 2\.0\.0.*your own backup of before/);
  t.match(await readRecords(box.folder), exactly([{ state: 'taken_back' }]));

  const slow = { ...changing, file: '20260402000000_store_slow.js', sql: 'select pg_sleep(600)' };
  vendor.publish('2.1.0', makeStore('2.1.0', [changing, more, slow]));
  const killed = box.begin(['upgrade', '--own-backup', '--json']);
  const isApplied = () => query(server.url, `select from applied_migrations where file = '${more.file}'`);
  while ((await isApplied()).length === 0) await sleep(20);
  killed.child.kill('SIGKILL');
  await killed.ended;
  t.match((await box.run(['start', '--json'])).stdout, /keeps 1 migration of release 2\.1\.0.*store_more/);
  t.match(await box.ask(), { version: '1.0.0' });
  t.match((await box.run(['status'])).stdout, /keeps 1 migration of release 2\.0\.0.*\n.*of release 2\.1\.0/);
});

t.test('A role that may not read all rows is named before anything is stopped', { skip: missing }, async (t) => {
  const { box, url } = await makeOwned(t, async (folder) =>
    (await startDebianPostgres(t, folder)).createOwned('berlin'),
  );
  await query(url, 'alter table orders enable row level security, force row level security');
  vendor.publish('2.0.0', makeStore('2.0.0', [changing]));
  const pid = (await findRunningBox(box.folder))?.pid;
  const error = {
    code: 'usage',
    message: /row-level security hides/,
    advice: /alter role "berlin" bypassrls.*--own-backup/,
  };
  t.match(await box.run(['plan', '--json']), { exitCode: 2, end: { result: { refused: error } } });
  t.match(await box.run(['upgrade', '--json']), { exitCode: 2, end: { error } });
  t.equal((await findRunningBox(box.folder))?.pid, pid, 'the box has not been stopped');
  await query(url.replace('//berlin:', '//store:'), 'alter role berlin bypassrls');
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
});

t.test('A pg_dump that is too old or missing is named before anything is stopped', async (t) => {
  const { server } = await startBox(t);
  const { box } = await makeOwned(t, async () => {
    await query(server.url, 'drop table if exists orders cascade');
    return server.url;
  });
  await order(box, 'berlin');
  vendor.publish('2.0.0', makeStore('2.0.0', [changing]));
  const pid = (await findRunningBox(box.folder))?.pid;
  const error = {
    code: 'usage',
    message: /pg_dump/,
    advice: /postgresql-client-\d+.*pg_dump --format=custom.*--own-backup/,
  };
  t.match(await box.run(['plan', '--json']), { exitCode: 2, end: { result: { refused: error } } });
  t.match(await box.run(['upgrade', '--json']), { exitCode: 2, end: { error } });
  const { stdout } = await box.run(['plan']);
  t.match(
    stdout,
    /^An upgrade would be refused: .*\n.*--own-backup\.\n\nNothing was changed. Otherwise it would do this:\n/,
  );
  t.strictSame(await readRecords(box.folder), []);
  t.equal((await findRunningBox(box.folder))?.pid, pid, 'the box has not been stopped');
  const upgraded = await box.run(['upgrade', '--own-backup', '--json']);
  t.match(upgraded, { exitCode: 0 });
  t.match(await box.run(['rollback', '--json']), {
    exitCode: 21,
    end: { error: { migrations: exactly([changing.file]) } },
  });
  t.match(await box.run(['rollback', '--with-data', '--json']), { exitCode: 22 });
});
