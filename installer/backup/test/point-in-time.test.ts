/**
 * The state of a box at a time between backups, from the archive of its write-ahead log; the proof of a backup.
 */
import { appendFile, chmod, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { backup } from '../../commands/backup/backup.ts';
import { checkArchive, proveLastBackup } from '../../commands/doctor/backup.ts';
import { restore } from '../../commands/restore/restore.ts';
import { silent } from '../../output/output.ts';
import { readArchiving } from '../archiving.ts';
import { addToCatalogue, readCatalogue } from '../catalogue.ts';
import { startBox } from './support/box.ts';

const output = silent;
const box = await startBox(t);
const { root: dir } = box.folder;
const archive = join(dir, '..', "an archive of the box's WAL");
const countText = 'select count(*)::integer as count from orders';

t.test('A box is restored as it was at a second, and sells on', async (t) => {
  t.equal(await readArchiving(box.folder), undefined);
  await box.server.stop();
  await appendFile(box.folder.secrets, `WAL_ARCHIVE_FOLDER="${archive}"\n`);
  await box.start(archive);
  const taken = await backup({ dir, keep: 1 }, output);
  await box.query("insert into orders (text) values ('right')");
  await sleep(1100);
  const [{ time } = { time: new Date() }] = await box.query<{ time: Date }>('select now() as time');
  await sleep(1100);
  await box.query("delete from orders where text = 'right' or id <= 50");
  await box.server.stop();
  t.ok((await readdir(archive)).length > 0, 'a stop archives the last segment');

  const toTime = time.toISOString();
  const { path } = taken;
  await t.rejects(restore({ dir, path, replace: true, toTime: 'yesterday' }, output), { code: 'usage' });
  await t.rejects(restore({ dir, path, replace: true, toTime: '2020-01-01T00:00:00Z' }, output), {
    code: 'usage',
    message: /the backup was taken later/,
  });
  await chmod(archive, 0o770);
  t.match(await checkArchive(box.folder), { state: 'ok' }, 'it does not run');
  await t.rejects(restore({ dir, path, replace: true, toTime }, output), { code: 'unverified' });
  await chmod(archive, 0o700);
  const restored = await restore({ dir, path, replace: true, toTime }, output);
  t.match(restored.counts, { 'public.orders': 101 });
  await box.start(archive);
  t.match(await box.query(`${countText} where text = 'right'`), exactly([{ count: 1 }]));
  await box.query('select pg_switch_wal()');
  await box.query('checkpoint');
  while ((await readArchiving(box.folder))?.last === null) await sleep(20);
  t.match(await checkArchive(box.folder), { state: 'ok' });
  await chmod(archive, 0o770);
  t.match(await checkArchive(box.folder), { state: 'problem', message: /others than its owner may write/ });
  await chmod(archive, 0o700);
  t.ok(
    (await readdir(archive)).some((name) => name.startsWith('00000002')),
    'on a timeline of its own',
  );
});

t.test('The archive is pruned with the backups, and says when it fails', async (t) => {
  const before = await readdir(archive);
  await backup({ dir, keep: 1 }, output);
  const after = await readdir(archive);
  t.ok(after.filter((name) => before.includes(name)).length < before.length, `${before} ${after}`);
  const segment = (await readCatalogue(join(dir, 'backups')))[0]?.segment ?? '';
  t.notOk(after.some((name) => /^[0-9A-F]{24}$/.test(name) && name.slice(8) < segment.slice(8)));

  // A file with the name of the next segment and other content is not overwritten.
  const [{ name } = { name: '' }] = await box.query<{ name: string }>(
    'select pg_walfile_name(pg_current_wal_lsn()) as name',
  );
  await writeFile(join(archive, name), 'of another box');
  await box.query("insert into orders (text) values ('x')");
  await box.query('select pg_switch_wal()');
  while (!(await readArchiving(box.folder))?.failing) await sleep(20);
  t.match(await checkArchive(box.folder), { state: 'problem', message: /cannot be archived/ });
});

t.test('The last backup is proved by restoring it aside', async (t) => {
  const home = join(box.folder.data, 'postgresql');
  const names = (await readdir(home)).sort();
  const [entry] = await readCatalogue(join(dir, 'backups'));
  const proof = await proveLastBackup(box.folder, { output });
  t.match(proof, { entry: { file: entry?.file }, rows: 101 });
  t.match(await readCatalogue(join(dir, 'backups')), exactly([{ restored: /^20/ }]));
  t.strictSame((await readdir(home)).sort(), names, 'nothing is left');
  const at = join(dir, 'backups');
  await rename(join(at, entry?.file ?? ''), join(at, 'moved'));
  await t.rejects(proveLastBackup(box.folder, { output }), { code: 'usage', message: /there is no backup/ });
  await writeFile(join(at, 'carton-bad.tar.zst'), 'bad');
  await addToCatalogue(at, { ...(entry as NonNullable<typeof entry>), file: 'carton-bad.tar.zst', bytes: 3 });
  await t.rejects(proveLastBackup(box.folder, { output }), { code: 'usage', message: /is no backup/ });
});
