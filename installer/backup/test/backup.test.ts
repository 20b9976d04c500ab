/**
 * Backups of a box as one file: what is in it, who can read it, what stays, and that it never overwrites a box.
 */
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { backup, listBackups } from '../../commands/backup/backup.ts';
import { restore } from '../../commands/restore/restore.ts';
import { silent } from '../../output/output.ts';
import { removeOldBackups } from '../catalogue.ts';
import { useCheapKeys } from '../encryption.ts';
import { folderPlace } from '../open-place.ts';
import { verifyBackup } from '../read.ts';
import { emptyBox, startBox } from './support/box.ts';

const output = silent;
const box = await startBox(t);
const { root: dir } = box.folder;
const passphraseFile = join(dir, '..', 'passphrase');
await writeFile(passphraseFile, 'five random words are enough\n');
const large = Buffer.alloc(300_000, 'picture');
await mkdir(join(box.folder.data, 'media/store/ab'), { recursive: true });
await writeFile(join(box.folder.data, 'media/store/ab/picture'), large);
const longName = 'n'.repeat(200);
await writeFile(join(box.folder.data, 'media/store', longName), 'long');
await mkdir(join(box.folder.data, 'uploads'));
await writeFile(join(box.folder.data, 'uploads/part'), 'in progress');
await writeFile(box.folder.installationId, '01234567-89ab-cdef-0123-456789abcdef\n');

t.test('A backup has data, files, settings and release; only its owner can read it', async (t) => {
  const taken = await backup({ dir, passphraseFile }, output);
  t.match(taken, {
    encrypted: true,
    files: 2,
    head: { database: 'embedded', media: { storage: 'backup' } },
    removed: exactly([]),
  });
  t.equal((await stat(taken.path)).mode & 0o777, 0o600);
  const content = await readFile(taken.path, 'latin1');
  t.match(content, /^[^\n]*"cost":17,/, 'a guess at the passphrase is expensive');
  t.notMatch(content, /OPERATOR_SECRET|picture|manifest/);
  t.match(await listBackups(dir), { entries: exactly([{ bytes: taken.bytes, encrypted: true }]) });

  const folder = await emptyBox(t);
  await rm(folder.current);
  const restored = await restore({ dir: folder.root, path: taken.path, passphraseFile }, output);
  t.match(restored, { files: 2, former: exactly([]), counts: { 'public.orders': 100 } });
  t.strictSame(restored.counts, taken.record.counts);
  t.strictSame(await readFile(join(folder.data, 'media/store/ab/picture')), large);
  t.equal(await readFile(join(folder.data, 'media/store', longName), 'utf8'), 'long');
  t.strictSame((await readdir(folder.data)).sort(), ['media', 'postgresql']);
  t.equal(await readFile(folder.secrets, 'utf8'), await readFile(box.folder.secrets, 'utf8'));
  t.equal((await stat(folder.secrets)).mode & 0o777, 0o600);
  t.equal(await readFile(folder.installationId, 'utf8'), await readFile(box.folder.installationId, 'utf8'));
  t.ok((await readdir(folder.root)).includes('current'));
  t.notOk((await readdir(folder.root)).includes('.restoring.json'));

  await t.rejects(restore({ dir: folder.root, path: taken.path, passphraseFile }, output), {
    code: 'usage',
    message: /there is a box in/,
  });
  const replaced = await restore({ dir: folder.root, path: taken.path, passphraseFile, replace: true }, output);
  t.equal(replaced.former.length, 4, 'media, data, and both files of settings stay');
  for (const path of replaced.former) t.ok(await stat(path));
});

t.test('A wrong passphrase, and a changed, cut or continued file are named before anything changes', async (t) => {
  t.teardown(useCheapKeys());
  const to = join(dir, '..', 'encrypted.tar.zst.enc');
  await backup({ dir, to, passphraseFile }, output);
  const plain = join(dir, '..', 'plain.tar.zst');
  await backup({ dir, to: plain }, output);
  const folder = await emptyBox(t);
  const wrong = join(dir, '..', 'wrong');
  await writeFile(wrong, 'six other words are not it');
  const refuse = (
    path: string,
    error: { code?: string; message?: RegExp },
    file: string | undefined = passphraseFile,
  ) =>
    t.rejects(
      restore({ dir: folder.root, path, passphraseFile: file, backupKeyFile: box.folder.backupKey }, output),
      error as unknown as Error,
    );
  await refuse(to, { code: 'usage', message: /passphrase is not that of/ }, wrong);
  await t.rejects(restore({ dir: folder.root, path: to }, output), { code: 'usage', message: /is encrypted/ });
  await refuse(join(dir, 'box.json'), { code: 'usage', message: /is no backup/ });

  const chunk = 65_536 + 16;
  const content = await readFile(to);
  const first = content.indexOf(10) + 1;
  const bad = join(dir, '..', 'bad.tar.zst.enc');
  const faults: Record<string, Buffer> = {
    'a changed byte': changed(content, first + chunk + 99),
    'two chunks in the other order': swapped(content, first, chunk),
    'a chunk left out': Buffer.concat([content.subarray(0, first), content.subarray(first + chunk)]),
    'cut off between chunks': content.subarray(0, first + 2 * chunk),
    'cut off within a chunk': content.subarray(0, first + chunk + 500),
    'more after the end': Buffer.concat([content, content.subarray(-20)]),
  };
  for (const [name, bytes] of Object.entries(faults)) {
    await writeFile(bad, bytes);
    await t.rejects(
      verifyBackup({
        place: folderPlace(dirname(bad)),
        name: basename(bad),
        passphrase: 'five random words are enough',
        verification: {},
      }),
      { code: 'integrity_failed', message: /bad\.tar\.zst\.enc was changed or cut off \(chunk \d+\)/ },
      name,
    );
  }
  await writeFile(bad, changed(content, 60));
  await refuse(bad, { message: /passphrase is not that of|first line/ });
  const plainContent = await readFile(plain);
  for (const bytes of [plainContent.subarray(0, -500), changed(plainContent, plainContent.length >> 1)]) {
    await writeFile(bad, bytes);
    await refuse(bad, { code: 'integrity_failed' }, undefined);
  }
  t.strictSame(
    (await readdir(folder.root)).filter((name) => !['current', 'releases'].includes(name)),
    ['data'],
  );
  t.strictSame(await readdir(folder.data), ['postgresql']);
  // PostgreSQL's programs are copied there where its user cannot read those of the release.
  const left = (await readdir(join(folder.data, 'postgresql'))).filter((name) => name !== 'binaries');
  t.strictSame(left, ['lock']);
});

t.test('Retention removes only verified backups of this box, and never the last good one', async (t) => {
  const to = join(dir, '..', 'kept');
  await mkdir(to);
  await writeFile(join(to, 'carton-20200101T000000Z.tar.zst'), 'of another one');
  const first = await backup({ dir, to, keep: 2 }, output);
  const second = await backup({ dir, to, keep: 2 }, output);
  await truncate(second.path, 100);
  const third = await backup({ dir, to, keep: 2 }, output);
  t.strictSame(third.removed, [], 'a damaged one does not count');
  const fourth = await backup({ dir, to, keep: 2 }, output);
  t.strictSame(
    fourth.removed.map((name) => join(to, name)),
    [first.path],
  );
  t.strictSame(
    (await readdir(to)).filter((name) => !name.startsWith('.')).length,
    4,
    'the damaged one, and the one that it has not written, stay',
  );
  const other = { keep: 1, verified: 'unknown.tar.zst', installation: fourth.head.installation };
  t.strictSame(await removeOldBackups(folderPlace(to), other), [], 'without a verified one nothing is removed');
});

t.test('A backup that fails leaves nothing behind', async (t) => {
  const to = join(dir, '..', 'failed');
  const interrupted = new AbortController();
  interrupted.abort();
  await t.rejects(backup({ dir, to, signal: interrupted.signal }, output), { code: 'interrupted' });
  t.strictSame(await readdir(to), []);
  await t.rejects(backup({ dir: join(dir, '..'), to }, output), { code: 'not_installed' });
});

function changed(content: Buffer, at: number): Buffer {
  const bytes = Buffer.from(content);
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}

function swapped(content: Buffer, first: number, chunk: number): Buffer {
  const [one, other, rest] = [0, 1, 2].map((number) => first + number * chunk) as [number, number, number];
  return Buffer.concat([
    content.subarray(0, one),
    content.subarray(other, rest),
    content.subarray(one, other),
    content.subarray(rest),
  ]);
}
