/**
 * The backup of the embedded database: taken while it serves, restored elsewhere, and never restored when damaged.
 */
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { silent } from '../../output/output.ts';
import { segmentsBetween } from '../base-backup.ts';
import { backUpDatabase, restoreDatabase, withDatabase } from '../database.ts';
import { generateBackupKey } from '../key.ts';
import { completeRestore } from '../restore-database.ts';
import { sealOf, type Verification } from '../seal.ts';
import { emptyBox, release, startBox } from './support/box.ts';

const output = silent;
const key = generateBackupKey();
const options = { release, replace: false, output, verification: { key } };
const countText = 'select count(*)::integer as count from orders';
const box = await startBox(t);
const to = join(box.folder.root, '..', 'copy');

t.test(
  'A backup taken under load has every order that was acknowledged before, and is restored elsewhere',
  async (t) => {
    const sales = box.sell();
    while (sales.acknowledged() < 50) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = sales.acknowledged();
    const record = await backUpDatabase(box.folder, { to, key, output });
    const after = sales.acknowledged();
    await sales.stop();
    const orders = record.counts?.['public.orders'] ?? 0;
    t.match(record, { kind: 'running', postgres: 18, exact: true });
    t.ok(orders >= 100 + before && orders <= 100 + after + 3, `${orders} of ${before} to ${after}`);
    t.strictSame(await box.query('select slot_name from pg_replication_slots'), [], 'no slot keeps WAL');
    t.equal((await stat(to)).mode & 0o777, 0o700);

    const folder = await emptyBox(t);
    const restored = await restoreDatabase(folder, { from: to, ...options });
    t.strictSame(restored, { counts: record.counts });
    const other = await startBox(t, folder);
    t.match(await other.query(countText), exactly([{ count: orders }]));
    await other.query("insert into orders (text) values ('z')");
    await t.rejects(restoreDatabase(folder, { from: to, ...options }), {
      code: 'usage',
      message: /there is a database/,
    });
    await t.rejects(restoreDatabase(folder, { from: to, ...options, replace: true }), { code: 'busy' });
    await other.server.stop();

    const replaced = await restoreDatabase(folder, { from: to, ...options, replace: true });
    t.ok((await readdir(replaced.former as string)).includes('PG_VERSION'), 'the former data stays');
    await other.start();
    t.match(await other.query(countText), exactly([{ count: orders }]));
  },
);

t.test('A damaged backup is named, and changes nothing', async (t) => {
  const folder = await emptyBox(t);
  const faults: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    [
      'a WAL segment is missing',
      () => rename(join(to, 'database/data/pg_wal'), join(to, 'wal')),
      () => rename(join(to, 'wal'), join(to, 'database/data/pg_wal')),
    ],
    [
      'a byte was added',
      () => appendFile(join(to, 'database/data/PG_VERSION'), ' '),
      () => writeFile(join(to, 'database/data/PG_VERSION'), '18\n'),
    ],
    ['the record is missing', () => rename(join(to, 'database.json'), join(to, 'removed.json')), async () => {}],
  ];
  for (const [name, damage, mend] of faults) {
    await damage();
    await t.rejects(restoreDatabase(folder, { from: to, ...options }), { code: 'integrity_failed', message: to }, name);
    await mend();
    const left = await readdir(join(folder.data, 'postgresql')).catch(() => []);
    // PostgreSQL's programs are copied there where its user cannot read those of the release.
    t.strictSame(
      left.filter((name) => name !== 'binaries'),
      ['lock'],
    );
  }
});

t.test('Counts that differ from those of the backup are an error', async (t) => {
  await rename(join(to, 'removed.json'), join(to, 'database.json'));
  const text = await readFile(join(to, 'database.json'), 'utf8');
  const { seal: _, ...content } = JSON.parse(text.replace(/"public\.orders":\d+/, '"public.orders":1'));
  const write = (seal: object) => writeFile(join(to, 'database.json'), JSON.stringify({ ...content, ...seal }));
  const folder = await emptyBox(t);
  const message = /public\.orders has \d+ rows instead of 1$/;
  const restore = (verification: Verification = options.verification) =>
    restoreDatabase(folder, { from: to, ...options, verification });
  await write({ seal: JSON.parse(text).seal });
  await t.rejects(restore(), { code: 'integrity_failed', message: /was changed after the box has sealed it/ });
  await write({});
  await t.rejects(restore(), { code: 'unverified', message: /has no seal/ });
  await write({ seal: sealOf(generateBackupKey(), 'upgrade', content) });
  await t.rejects(restore(), { code: 'unverified', message: /and not with/ });
  await write({ seal: sealOf(key, 'upgrade', content) });
  await t.rejects(restore(), { code: 'integrity_failed', message });
  await write({});
  await t.rejects(restore({ key, allowUnverified: true }), { code: 'integrity_failed', message });
});

t.test('A database that does not run is copied as it is, also after a crash', async (t) => {
  await box.query("insert into orders (text) values ('last')");
  await t.rejects(backUpDatabase(box.folder, { to: box.folder.root, key, output }), { code: 'usage' });
  const to = join(box.folder.root, '..', 'stopped');
  const [{ count } = { count: 0 }] = await box.query<{ count: number }>(countText);
  await box.server.stop();
  t.match(await backUpDatabase(box.folder, { to, key, output }), { kind: 'stopped', postgres: 18 });
  await t.rejects(
    withDatabase(box.folder, async () => {}),
    { code: 'not_running' },
  );
  const folder = await emptyBox(t);
  t.match(await restoreDatabase(folder, { from: to, ...options }), { counts: { 'public.orders': count } });
});

t.test('A swap that was interrupted is completed, at each of its steps', async (t) => {
  const folder = await emptyBox(t);
  const home = join(folder.data, 'postgresql');
  await mkdir(join(home, 'data'), { recursive: true });
  await writeFile(join(home, 'password'), 'old\n');
  const former = join(home, 'data.before-x');
  const swap = { restored: join(home, 'data.restored-1'), password: join(home, 'password.1.partial'), former };
  const steps = [
    async () => {},
    () => rename(join(home, 'data'), former),
    () => rename(join(home, 'password'), join(former, '.password')),
    () => rename(swap.password, join(home, 'password')),
  ];
  for (const done of [0, 1, 2, 3]) {
    await rm(former, { recursive: true, force: true });
    await writeFile(swap.password, 'new\n');
    await rm(swap.restored, { recursive: true, force: true });
    await mkdir(swap.restored);
    await writeFile(join(swap.restored, 'new'), '');
    await writeFile(join(home, 'restored.json'), JSON.stringify(swap));
    for (const step of steps.slice(0, done + 1)) await step();
    await completeRestore(folder);
    t.ok((await readdir(join(home, 'data'))).includes('new'));
    t.equal(await readFile(join(home, 'password'), 'utf8'), 'new\n');
    t.ok((await readdir(former)).includes('.password'));
    t.notOk((await readdir(home)).includes('restored.json'));
  }
});

t.test('The segments of a range of the WAL', async (t) => {
  const size = 16 * 1024 * 1024;
  t.strictSame(segmentsBetween('0/2000028', '0/3000000', 1, size), ['000000010000000000000002']);
  t.strictSame(segmentsBetween('0/FF000028', '1/1', 10, size), [
    '0000000A00000000000000FF',
    '0000000A0000000100000000',
  ]);
});
