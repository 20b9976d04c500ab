/**
 * Upgrades of a box with a real database: what `plan` says of them, the backup before migrations, and a failed release that
 * is taken back with its data.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { withDatabase } from '../backup/database.ts';
import { install } from '../commands/install/install.ts';
import { asFailure, type Failure } from '../failure.ts';
import { silent } from '../output/output.ts';
import { readJournal, readRecords } from '../upgrade/record.ts';
import { key, list, makeBox, type TestBox } from './support/box.ts';
import { additive, changing, makeStore, order, ordersOf, storePackages } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const licence = { tier: 'basic', packages: storePackages };
const vendor = await startVendor(makeStore('1.0.0'), { [key]: licence });
t.teardown(() => vendor.close());
t.beforeEach(() => vendor.publish('1.0.0', makeStore('1.0.0')));

/** The schema and all rows. */
async function contentOf(box: TestBox): Promise<unknown> {
  return withDatabase(box.folder, async (client) => {
    const columns = await client.query(
      `select table_name, column_name, data_type, column_default from information_schema.columns
        where table_schema = 'public' order by 1, 2`,
    );
    const tables = [...new Set(columns.rows.map(({ table_name }) => table_name as string))];
    const rows = [];
    for (const table of tables) rows.push((await client.query(`select it from ${table} it order by it::text`)).rows);
    return { columns: columns.rows, rows };
  });
}

t.test('an additive upgrade: planned, backed up, and taken back by code alone if it fails', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  await order(box, 'berlin', 2);
  t.match(await box.run(['plan', '--json']), {
    exitCode: 0,
    end: { result: { upToDate: true, migrations: exactly([]) } },
  });

  vendor.publish('1.1.0', makeStore('1.1.0', [additive]));
  const before = await list(box.folder.releases);
  const { end } = await box.run(['plan', '--json']);
  t.match(end.result, {
    upToDate: false,
    from: { version: '1.0.0' },
    to: { version: '1.1.0', channel: 'stable' },
    packages: { added: exactly([]), removed: exactly([]), changed: { length: 2 }, unchanged: 0 },
    migrations: exactly([{ package: '@carton/store', file: additive.file, additive: true }]),
    migrationsFrom: 'database',
    backup: true,
    wayBack: 'code_only',
  });
  t.strictSame(await list(box.folder.releases), before);
  t.strictSame(await readRecords(box.folder), []);

  vendor.publish('1.1.0', makeStore('1.1.0', [additive], 'breaks its products'));
  t.match(await box.run(['upgrade', '--json']), {
    exitCode: 18,
    end: { error: { code: 'taken_back', restored: true } },
  });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002']);
  t.strictSame(await readRecords(box.folder), [], 'a failed upgrade leaves no backup');

  vendor.publish(
    '1.1.1',
    makeStore('1.1.1', [
      additive,
      { ...additive, file: '20260202000000_store_more.js', sql: 'alter table orders add column more text' },
    ]),
  );
  const { exitCode, events } = await box.run(['upgrade', '--json']);
  t.equal(exitCode, 0);
  t.ok(events.some(({ event }) => event === 'backed_up'));
  const [record] = await readRecords(box.folder);
  t.match(record, { state: 'done', from: { version: '1.0.0' }, to: { version: '1.1.1' }, backup: { kind: 'running' } });
  t.match(
    record?.migrations,
    exactly([{ file: '20260202000000_store_more.js' }]),
    'those of the failed release are applied',
  );
  t.equal((await stat(join(box.folder.upgrades, record?.id ?? ''))).mode & 0o777, 0o700);

  vendor.publish('1.2.0', makeStore('1.2.0', [additive]));
  const third = await box.run(['upgrade', '--json']);
  t.match(third, { exitCode: 0 });
  t.ok(
    third.events.some(({ event }) => event === 'backup_skipped'),
    'no migration is pending, and it is said',
  );
  t.match(await box.run(['upgrade', '--version', '1.0.0', '--json']), {
    exitCode: 2,
    end: { error: { message: /older than the installed 1\.2\.0/, advice: /carton rollback/ } },
  });
});

t.test('the check of the disk counts the backup before migrations', async (t) => {
  const box = await makeBox(t, vendor);
  const spareBytes = 1e15;
  const options = {
    dir: box.dir,
    port: box.port,
    licenseKey: key,
    controlPlaneUrl: vendor.controlPlaneUrl,
    spareBytes,
  };
  const neededBesides = async () => {
    const failure = await install(options, silent).then(() => t.fail('installed'), asFailure);
    t.match(failure, { code: 'disk_full' });
    return (failure as Failure).facts as { neededBytes: number; backupBytes: number };
  };
  t.match(await neededBesides(), { backupBytes: 0 }, 'there is no database yet');
  await box.install();
  vendor.publish('1.1.0', makeStore('1.1.0'));
  t.match(await neededBesides(), { backupBytes: 0 }, 'no migration is pending');
  vendor.publish('1.2.0', makeStore('1.2.0', [additive]));
  const { neededBytes, backupBytes } = await neededBesides();
  t.ok(backupBytes > 20_000_000, `${backupBytes} are those of a database`);
  t.ok(neededBytes >= spareBytes + backupBytes);
  const { end } = await box.run(['plan', '--json']);
  const { disk } = end.result as unknown as { disk: { neededBytes: number; backupBytes: number } };
  t.ok(disk.neededBytes > disk.backupBytes + 500_000_000, 'the plan says what an upgrade asks for');
  t.match(await box.ask(), { version: '1.0.0' });
});

t.test('a pinned box stays at its release', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  vendor.publish('1.1.0', makeStore('1.1.0'));
  vendor.publish('1.2.0', makeStore('1.2.0'));
  const to = (version: string, pinnedVersion?: string) => ({
    exitCode: 0,
    end: { result: { version, pinnedVersion } },
  });
  t.match(await box.run(['upgrade', '--version', '1.1.0', '--json']), to('1.1.0', '1.1.0'));
  t.match(await box.run(['upgrade', '--json']), { ...to('1.1.0', '1.1.0'), end: { result: { changed: false } } });
  t.match(await box.install(), { exitCode: 0, end: { result: { changed: false } } });
  t.match(await box.ask(), { version: '1.1.0' });
  t.match(await box.run(['plan', '--unpin', '--json']), { end: { result: { to: { version: '1.2.0' } } } });
  t.match(await box.run(['upgrade', '--unpin', '--json']), to('1.2.0'));
  t.match(await box.run(['upgrade', '--version', '9.9.9', '--json']), {
    exitCode: 2,
    end: { error: { message: /has no release 9\.9\.9/ } },
  });
});

t.test('a release whose migration succeeds and whose code fails is taken back with its data', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await order(box, 'berlin', 2);
  await order(box, 'paris');
  const before = await contentOf(box);
  for (const behaviour of ['breaks its products', 'exits once migrated'] as const) {
    vendor.publish('2.0.0', makeStore('2.0.0', [changing], behaviour));
    t.match(await box.run(['plan', '--json']), { end: { result: { wayBack: 'needs_data' } } });
    t.match(await box.run(['upgrade', '--json']), {
      exitCode: 18,
      end: { error: { code: 'taken_back', restored: true } },
    });
    t.match(await box.ask(), { version: '1.0.0' });
    t.strictSame(await contentOf(box), before, behaviour);
    t.equal(await readJournal(box.folder), undefined);
    const names = await readdir(join(box.folder.data, 'postgresql'));
    t.strictSame(
      names.filter((name) => name.startsWith('data.')),
      [],
      'no copy stays',
    );
  }
  vendor.publish('2.0.1', makeStore('2.0.1', [changing]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0, end: { result: { version: '2.0.1' } } });
  t.match(await readRecords(box.folder), exactly([{ backup: { kind: 'stopped' }, state: 'done' }]));
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x', '1002-x']);
  t.strictSame(
    (await readFile(box.folder.log, 'utf8')).match(/^2\.0\.1 begins.*$/gm),
    ['2.0.1 begins, only checked', '2.0.1 begins'],
    'no background work before it has passed its check',
  );
});

t.test('a box in the foreground goes through the same under its parent', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"healthy"');
  await order(box, 'berlin');
  vendor.publish('2.0.0', makeStore('2.0.0', [changing], 'breaks its products'));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 18 });
  t.match(await box.ask(), { version: '1.0.0' });
  vendor.publish('2.0.1', makeStore('2.0.1', [changing]));
  t.match(await box.run(['upgrade', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '2.0.1' });
  t.equal(parent.child.exitCode, null, 'the parent keeps running');
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await parent.ended, { exitCode: 0 });
});
