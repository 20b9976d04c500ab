/**
 * Backups in a bucket: complete or not there, read back, kept and restored; what a bad network and a refusing service do.
 */
import { spawn } from 'node:child_process';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { backup, listBackups } from '../../commands/backup/backup.ts';
import { schedule } from '../../commands/backup/schedule.ts';
import { checkLastBackup, proveLastBackup } from '../../commands/doctor/backup.ts';
import { restore } from '../../commands/restore/restore.ts';
import { silent as output } from '../../output/output.ts';
import { commandFile } from '../../test/support/command.ts';
import { useCheapKeys } from '../encryption.ts';
import { partBytesFor, partsOf } from '../s3/parts.ts';
import { emptyBox, startBox } from './support/box.ts';
import { startBucket } from './support/bucket.ts';

const bucket = await startBucket(t);
const box = await startBox(t);
const { root: dir } = box.folder;
const to = `${bucket.address}/shops/berlin`;
await appendFile(
  box.folder.secrets,
  Object.entries(bucket.variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(''),
);
// Random, so that a backup has more than one part.
const large = Buffer.alloc(12_000_000);
for (let at = 0, state = 1; at < large.length; at += 4) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  large.writeUInt32LE(state, at);
}
await mkdir(join(box.folder.data, 'media'), { recursive: true });
await writeFile(join(box.folder.data, 'media/large'), large);
const journal = join(dir, 'backups/.upload.json');
const passphraseFile = join(dir, '..', 'passphrase');
await writeFile(passphraseFile, 'five random words are enough\n');

t.test('A backup in a bucket is restored on another machine, with access from files', async (t) => {
  t.teardown(useCheapKeys());
  bucket.breakRequests(() => undefined);
  const taken = await backup({ dir, to, passphraseFile }, output);
  t.match(taken, { encrypted: true, path: /^s3:\/\/backups\/shops\/berlin\/carton-\d{8}T\d{6}Z\.tar\.zst\.enc$/ });
  const name = taken.path.slice(bucket.address.length + 1);
  t.strictSame(await bucket.objects(), [name, `${name}.verified.json`]);
  t.ok(bucket.requests().filter((request) => /partNumber/.test(request)).length >= 2, 'in several parts');
  t.match(await listBackups(dir, to), { folder: to, entries: exactly([{ bytes: taken.bytes, digest: taken.digest }]) });
  await t.rejects(readFile(journal), { code: 'ENOENT' });

  const folder = await emptyBox(t);
  const file = join(folder.root, '..', 'secret');
  await writeFile(file, `${bucket.variables.BACKUP_S3_SECRET_ACCESS_KEY}\n`);
  const { BACKUP_S3_SECRET_ACCESS_KEY: _secret, ...others } = bucket.variables;
  const environment = { ...others, BACKUP_S3_SECRET_ACCESS_KEY_FILE: file };
  await withEnvironment(environment, async () => {
    await t.rejects(restore({ dir: folder.root, path: to, passphraseFile }, output), {
      code: 'usage',
      message: new RegExp(`the newest one there is ${taken.path}`),
    });
    const restored = await restore({ dir: folder.root, path: taken.path, passphraseFile }, output);
    t.strictSame(restored.counts, taken.record.counts);
  });
  t.ok(large.equals(await readFile(join(folder.data, 'media/large'))));
  const secrets = await readFile(folder.secrets, 'utf8');
  t.match(secrets, /BACKUP_S3_ENDPOINT/);
  t.notMatch(secrets, /BACKUP_S3_SECRET_ACCESS_KEY/, 'who reads a backup cannot remove all');
});

t.test('Requests that fail are repeated, and a download goes on where it was cut off', async (t) => {
  let cuts = 0;
  bucket.breakRequests(({ method, url }) => {
    if (/partNumber=2\b/.test(url) && cuts++ < 2) return cuts === 1 ? { status: 503 } : { cutRequest: true };
    return method === 'GET' && /zst\?|zst$/.test(url) && cuts++ < 6 ? { cutResponseAfter: 1_000_000 } : undefined;
  });
  const taken = await backup({ dir, to: `${to}/retried` }, output);
  const downloads = bucket.requests().filter((request) => /^GET .*zst(\?|$)/.test(request));
  t.ok(downloads.length > 2, `${downloads.length} requests for one download`);
  t.match(await listBackups(dir, `${to}/retried`), { entries: exactly([{ digest: taken.digest }]) });
});

t.test('A service that fails in the middle of an upload leaves nothing behind', async (t) => {
  const before = await bucket.files();
  bucket.breakRequests(({ url }) => (/partNumber=2\b/.test(url) ? { status: 500 } : undefined));
  const failure = {
    code: 'storage_unavailable',
    message: /^s3:\/\/backups\/shops\/berlin at http:\/\/127\.0\.0\.1:\d+ failed: status 500/,
  };
  await t.rejects(backup({ dir, to }, output), failure);
  t.strictSame(await bucket.files(), before);
  await t.rejects(readFile(journal), { code: 'ENOENT' });

  // Away for good: its parts are removed by the next backup.
  bucket.breakRequests(({ url, method }) =>
    /partNumber=2\b/.test(url) || method === 'DELETE' ? { status: 500 } : undefined,
  );
  await t.rejects(backup({ dir, to }, output), { code: 'storage_unavailable' });
  t.ok((await bucket.files()).length > before.length, 'a part stays');
  bucket.breakRequests(() => undefined);
  const taken = await backup({ dir, to: `${to}/after.tar.zst` }, output);
  t.strictSame(
    (await bucket.files()).filter((path) => !path.includes('after.tar.zst')),
    before,
  );
  await t.rejects(backup({ dir, to: taken.path }, output), { code: 'usage', message: /exists already/ });

  const interrupted = new AbortController();
  bucket.breakRequests(({ url }) => {
    if (/partNumber=1\b/.test(url)) interrupted.abort();
    return undefined;
  });
  const complete = await bucket.files();
  await t.rejects(backup({ dir, to, signal: interrupted.signal }, output), { code: 'interrupted' });
  bucket.breakRequests(() => undefined);
  await bucket.restart();
  // It may have stored the part that it was receiving: the next backup removes it, as the journal has the upload.
  t.match(JSON.parse(await readFile(journal, 'utf8')), { bucket: 'backups' });
  await backup({ dir, to: `${to}/later.tar.zst` }, output);
  t.strictSame(
    (await bucket.files()).filter((path) => !path.includes('later.tar.zst')),
    complete,
  );
  await t.rejects(readFile(journal), { code: 'ENOENT' });
});

t.test(
  'A command that is killed in an upload leaves nothing that counts, and the next one ends the upload',
  async (t) => {
    const at = `${bucket.address}/killed`;
    const before = await bucket.files();
    const killed = Promise.withResolvers<void>();
    const child = spawn(process.execPath, [commandFile, 'backup', '--dir', dir, '--to', at, '--json'], {
      stdio: 'ignore',
    });
    bucket.breakRequests(({ url }) => {
      if (!/partNumber=2\b/.test(url)) return undefined;
      child.once('exit', () => killed.resolve());
      child.kill('SIGKILL');
      return { cutRequest: true };
    });
    await killed.promise;
    bucket.breakRequests(() => undefined);
    t.ok((await bucket.files()).length > before.length, 'a part is there');
    t.match(await listBackups(dir, at), { entries: exactly([]) });
    t.notOk(
      (await bucket.objects()).some((name) => name.startsWith('killed/')),
      'and no object',
    );
    await withEnvironment(bucket.variables, async () => {
      const path = { dir: join(dir, '..', 'elsewhere'), path: at };
      await t.rejects(restore(path, output), { code: 'usage', message: /is no backup$/ });
    });
    // Also with another address in the same service.
    const taken = await backup({ dir, to: `${bucket.address}/other`, keep: 1 }, output);
    t.strictSame(taken.removed, []);
    t.strictSame(
      (await bucket.files()).filter((path) => !path.includes('other/')),
      before,
    );
    await t.rejects(readFile(journal), { code: 'ENOENT' });
  },
);

t.test('Retention removes only verified backups of this box', async (t) => {
  await rm(join(box.folder.data, 'media/large'));
  const at = `${bucket.address}/kept`;
  const first = await backup({ dir, to: at, keep: 2 }, output);
  bucket.breakRequests(({ url, method }) => (method === 'PUT' && /verified/.test(url) ? { status: 403 } : undefined));
  await t.rejects(backup({ dir, to: at, keep: 2 }, output), {
    code: 'storage_unavailable',
    message: /access was refused/,
  });
  bucket.breakRequests(() => undefined);
  const third = await backup({ dir, to: at, keep: 2 }, output);
  t.strictSame(third.removed, [], 'one without a record is not counted');
  await writeFile(box.folder.installationId, '11234567-89ab-cdef-0123-456789abcdef\n');
  const other = await backup({ dir, to: at, keep: 1 }, output);
  t.strictSame(other.removed, [], 'those of another installation stay');
  await rm(box.folder.installationId);
  const fourth = await backup({ dir, to: at, keep: 2 }, output);
  t.strictSame(fourth.removed, [first.path.slice(at.length + 1)]);
  const objects = (await bucket.objects()).filter((name) => name.startsWith('kept/'));
  t.equal(objects.filter((name) => name.endsWith('.zst')).length, 4);
  t.notOk(objects.some((name) => `s3://backups/${name}`.startsWith(first.path)));
});

t.test('A schedule names a bucket that cannot be used; doctor looks at it, and proves the last backup', async (t) => {
  const at = `${bucket.address}/daily`;
  await t.rejects(schedule({ dir, to: 's3://no-such-bucket/x' }), {
    code: 'storage_unavailable',
    message: /bucket does not exist/,
  });
  await t.rejects(schedule({ dir, to: 's3://UPPER/x' }), { code: 'usage' });
  await schedule({ dir, to: at, every: '1d' });
  t.match(await checkLastBackup(box.folder, false), { state: 'problem', message: /no backup in s3:/ });
  t.match(await checkLastBackup(box.folder, true), { state: 'ok', message: /offline/ });
  await backup({ dir }, output);
  t.match(await checkLastBackup(box.folder, false), { state: 'ok', message: /s3:\/\/backups\/daily\/carton-/ });
  t.match(await proveLastBackup(box.folder, { output }), { entry: { encrypted: false } });
  t.match(await listBackups(dir), { entries: exactly([{ restored: /^20/ }]) });
  const wrong = { ...bucket.variables, BACKUP_S3_ACCESS_KEY_ID: 'unknown', BACKUP_S3_SECRET_ACCESS_KEY: 'its-secret' };
  await withEnvironment(wrong, () =>
    t.rejects(backup({ dir }, output), {
      code: 'storage_unavailable',
      message: /^(?!.*its-secret).*(access was refused|the access key is unknown)/,
    }),
  );
  await withEnvironment({ BACKUP_S3_ENDPOINT: 'no url' }, () => t.rejects(backup({ dir }, output), { code: 'usage' }));
});

t.test('Parts have one size, and are large enough for any backup', async (t) => {
  const parts: number[] = [];
  const source = (async function* () {
    for (const size of [3, 5, 1]) yield Buffer.alloc(size);
  })();
  for await (const part of partsOf(source, 4)) parts.push(part.length);
  t.strictSame(parts, [4, 4, 1]);
  t.equal(partBytesFor(1), 8 * 1024 * 1024);
  t.ok(partBytesFor(3e12) * 10_000 > 4e12);
});

async function withEnvironment(variables: Record<string, string>, work: () => Promise<unknown>): Promise<void> {
  Object.assign(process.env, variables);
  try {
    await work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}
