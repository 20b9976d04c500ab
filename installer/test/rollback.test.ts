/**
 * Rollbacks of a box with a real database: by code alone with every order, and with the data, which names what is lost
 * before it is.
 */
import { readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { formerDataOf } from '../backup/home.ts';
import { findRunningBox } from '../box/running.ts';
import { readJournal, readRecords } from '../upgrade/record.ts';
import { key, makeBox, type TestBox, until } from './support/box.ts';
import { additive, changing, exitFile, makeStore, order, ordersOf, storePackages } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const licence = { tier: 'basic', packages: storePackages };
const vendor = await startVendor(makeStore('1.0.0'), { [key]: licence });
t.teardown(() => vendor.close());
t.beforeEach(() => vendor.publish('1.0.0', makeStore('1.0.0')));

const rollback = (box: TestBox, ...options: string[]) => box.run(['rollback', '--json', ...options]);
const upgrade = async (box: TestBox, version: string, ...migrations: Parameters<typeof makeStore>[1] & object) => {
  vendor.publish(version, makeStore(version, migrations));
  const outcome = await box.run(['upgrade', '--json']);
  if (outcome.exitCode !== 0) throw new Error(outcome.stdout);
};
const lostOf = (error: unknown) => (error as { lost: { file: string } }).lost;

t.test('after an additive upgrade, by code alone: every order stays', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  t.match(await rollback(box), { exitCode: 22, end: { error: { code: 'no_former_release' } } });
  await order(box, 'berlin', 2);
  await upgrade(box, '1.1.0', additive);
  await order(box, 'berlin', 2);
  const settings = await readFile(box.folder.settings, 'utf8');
  t.match(await rollback(box), {
    exitCode: 0,
    end: { result: { withData: false, running: true, from: { version: '1.1.0' }, to: { version: '1.0.0' } } },
  });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003', '1004']);
  t.strictSame(JSON.parse(await readFile(box.folder.settings, 'utf8')), { ...JSON.parse(settings), version: '1.0.0' });
  t.match(await rollback(box), { exitCode: 22 }, 'twice');

  t.match(await box.run(['upgrade', '--json']), { exitCode: 0, end: { result: { version: '1.1.0' } } }, 'and forward');
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await rollback(box, '--no-start'), { exitCode: 0, end: { result: { running: false } } }, 'of a stopped box');
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002', '1003', '1004']);
});

t.test('after another upgrade: refused, then with the loss accepted', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const before = [...(await order(box, 'berlin', 2)), ...(await order(box, 'paris'))];
  t.strictSame(before, ['1001', '1002', '1001']);
  await upgrade(box, '2.0.0', changing);
  const since = { berlin: await order(box, 'berlin', 3), paris: await order(box, 'paris') };

  t.match(await rollback(box), {
    exitCode: 21,
    end: { error: { code: 'would_lose_data', migrations: exactly([changing.file]), advice: /--with-data/ } },
  });
  const refused = await rollback(box, '--with-data');
  const lost = { orders: since, counts: { orders: 4, payments: 4, members: 0 }, rows: 12 };
  t.match(refused, { exitCode: 21, end: { error: { code: 'would_lose_data', lost } } });
  t.strictSame((refused.end.error as { lost?: { orders: object } }).lost?.orders, since, 'each order, and no other');
  t.match(refused.end.error?.message, 'loses 4 orders, 4 payments, in all 12 new or changed rows');
  t.match(
    refused.events.filter(({ event }) => event === 'problem'),
    exactly([
      { message: 'orders of berlin that would be lost: 1003, 1004, 1005' },
      { message: 'orders of paris that would be lost: 1002' },
    ]),
  );
  t.match(await box.ask(), { version: '2.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x', '1002-x', ...since.berlin], 'nothing has changed');
  t.strictSame(await formerDataOf(box.folder), []);
  const { file } = lostOf(refused.end.error);
  t.equal((await stat(file)).mode & 0o777, 0o600);
  const rows = (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  t.equal(rows.length, 12);
  t.match(rows.filter(({ table }) => table === 'order_line_items').length, 4, 'with the lines of the orders');
  t.match(rows[0], { table: 'orders', store: 'berlin', change: 'created', row: { number: '1003' } });

  const [late] = await order(box, 'paris');
  const accepted = await rollback(box, '--with-data', '--accept-loss');
  t.match(accepted, { exitCode: 0, end: { result: { withData: true, to: { version: '1.0.0' } } } });
  const result = accepted.end.result as unknown as { lost: { orders: object }; replacedData: string };
  t.strictSame(result.lost.orders, { ...since, paris: [...since.paris, late] }, 'those of the last moment too');
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame([await ordersOf(box, 'berlin'), await ordersOf(box, 'paris')], [['1001', '1002'], ['1001']]);
  t.ok((await stat(result.replacedData)).isDirectory(), 'the replaced data stays');
  t.match(await readRecords(box.folder), exactly([{ state: 'rolled_back' }]));
  t.equal(await readJournal(box.folder), undefined);
});

t.test('an upgrade that was killed between its switch and its record has a way back', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await order(box, 'berlin', 2);
  await upgrade(box, '2.0.0', changing);
  const [record] = await readRecords(box.folder);
  const file = join(box.folder.upgrades, record?.id as string, 'upgrade.json');
  await writeFile(file, JSON.stringify({ ...record, state: 'started' }));
  await symlink(join('releases', record?.to.release as string), `${box.folder.current}.new`);
  t.match(await box.run(['install', '--json']), { exitCode: 0, end: { result: { changed: false } } });
  t.notOk((await readdir(box.folder.root)).includes('current.new'), 'a switch that was killed leaves nothing');
  t.match(await rollback(box, '--with-data', '--accept-loss'), { exitCode: 0 });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001', '1002']);
});

t.test('a release that does not start, and damaged backups', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await order(box, 'berlin');
  await upgrade(box, '2.0.0', changing);
  await order(box, 'berlin');
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await rollback(box, '--with-data'), {
    exitCode: 21,
    end: { error: { lost: { orders: { berlin: exactly(['1002']) } } } },
  });
  const [record] = await readRecords(box.folder);
  const backup = join(box.folder.upgrades, record?.id ?? '', 'database');
  await rm(join(backup, 'database/data/PG_VERSION'));
  t.match(await rollback(box, '--with-data', '--accept-loss'), { exitCode: 7 });
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.match(await box.ask(), { version: '2.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001-x', '1002']);
});

t.test('a rollback that is killed is undone or completed by the next command', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await order(box, 'berlin');
  await upgrade(box, '2.0.0', changing);
  await order(box, 'berlin');

  const kill = async (when: () => Promise<boolean>) => {
    const running = box.begin(['rollback', '--with-data', '--accept-loss', '--json']);
    await until(when);
    running.child.kill('SIGKILL');
    await running.ended;
  };
  const step = async () => (await readJournal(box.folder))?.step;
  await kill(async () => (await step()) === 'restoring' && (await formerDataOf(box.folder)).length === 0);
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.equal(await readJournal(box.folder), undefined);
  const version = (await box.ask())?.version;
  const orders = await ordersOf(box, 'berlin');
  // The kill may arrive just after the swap: then it is completed.
  if (version === '2.0.0') t.strictSame(orders, ['1001-x', '1002'], 'undone');
  else t.strictSame([version, orders], ['1.0.0', ['1001']], 'completed');

  if (version !== '2.0.0') return;
  await kill(async () => (await formerDataOf(box.folder)).length > 0);
  t.match(await rollback(box), { exitCode: 0 });
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001']);
  t.match(await readlink(box.folder.current), `releases/${(await findRunningBox(box.folder))?.release}`);
  t.equal(await readJournal(box.folder), undefined);
  t.match(await readRecords(box.folder), exactly([{ state: 'rolled_back' }]));
});

t.test('a former release that fails on its data: the replaced data and its release are back', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.publish('1.0.0', makeStore('1.0.0', [], 'exits while told to'));
  await box.install();
  await order(box, 'berlin');
  await upgrade(box, '2.0.0', changing);
  await order(box, 'berlin');
  const told = join(box.dir, exitFile);
  await writeFile(told, '');
  const isBack = async (what: string) => {
    t.match(await box.ask(), { version: '2.0.0' }, what);
    t.strictSame(await ordersOf(box, 'berlin'), ['1001-x', '1002'], what);
    t.equal(await readJournal(box.folder), undefined);
    t.match(await readRecords(box.folder), exactly([{ state: 'done' }]));
    t.strictSame((await readRecords(box.folder))[0]?.replacedData ?? [], []);
    const names = await readdir(join(box.folder.data, 'postgresql'));
    t.strictSame(
      names.filter((name) => /^(data|password)\./.test(name)),
      [],
      'no copy stays',
    );
  };

  const failed = await rollback(box, '--with-data', '--accept-loss');
  t.match(failed, { exitCode: 18, end: { error: { code: 'taken_back', restored: true } } });
  t.match(failed.end.error?.message, /exited during its start.*; release [0-9a-f]{16} runs again, with its data/s);
  await isBack('at once');

  const killed = box.begin(['rollback', '--with-data', '--accept-loss', '--json']);
  await until(async () => (await readJournal(box.folder))?.step === 'putting_back');
  killed.child.kill('SIGKILL');
  await killed.ended;
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  await isBack('after a kill, by the next command');

  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await rollback(box, '--with-data', '--accept-loss'), { exitCode: 10 }, 'of a stopped box');
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  await isBack('of a stopped box');

  await rm(told);
  t.match(await rollback(box, '--with-data', '--accept-loss'), { exitCode: 0 }, 'and it works once the cause is gone');
  t.match(await box.ask(), { version: '1.0.0' });
  t.strictSame(await ordersOf(box, 'berlin'), ['1001']);
});
