/**
 * Unusual folders, users and limits: each either works or ends with one line that says what to do.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { boxFolder } from '../box/folder.ts';
import { causeIn } from '../box/start-failure.ts';
import { asFailure } from '../failure.ts';
import { networkAdvice } from '../network.ts';
import { checkPath } from '../preflight.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const core = `${scope}/core`;
const vendor = await startVendor([makeRuntime(), makePackage({ name: core })], {
  [key]: { tier: 'basic', packages: [`${scope}/runtime`, core] },
});
t.teardown(() => vendor.close());

async function folderFor(t: Test, name: string): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'edges-'));
  t.teardown(() => rm(parent, { recursive: true, force: true }));
  const folder = join(parent, name);
  await mkdir(folder);
  return folder;
}

t.test('a path with spaces, quotes and letters of any script', async (t) => {
  const box = await makeBox(t, vendor, await folderFor(t, "my böx ☕ 'quoted' (1)"));
  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.1.0' });
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
});

t.test('a path that a shell would read differently, from which initdb could not run', async (t) => {
  for (const name of ['a$HOME', 'a`id`', 'a"b', 'a\\b', 'a\nb', 'a\u007fb']) {
    const box = await makeBox(t, vendor, await folderFor(t, name));
    const { exitCode, end } = await box.install();
    t.equal(exitCode, 15, name);
    t.match(end.error, { code: 'folder_unusable', message: /contains the character "/, advice: /--dir/ });
    t.same(await list(box.dir), []);
  }
});

t.test('a path that is too long for PostgreSQL, or for the system', async (t) => {
  await t.rejects(checkPath(boxFolder(join('/tmp', 'a'.repeat(200), 'b'.repeat(600)))), {
    code: 'folder_unusable',
    message: /has 806 bytes/,
  });
  await checkPath(boxFolder(join('/tmp', 'a'.repeat(200), 'b'.repeat(500))));
  const box = await makeBox(t, vendor);
  const { exitCode, end } = await box.install(['--dir', join(box.dir, 'a'.repeat(300))]);
  t.equal(exitCode, 15);
  t.match(end.error, { code: 'folder_unusable', advice: /shorter path/ });
});

t.test('a link to a folder with such a path counts, too', async (t) => {
  const folder = await folderFor(t, 'a$HOME');
  const link = `${folder.slice(0, -'a$HOME'.length)}link`;
  spawnSync('ln', ['-s', folder, link]);
  await t.rejects(checkPath(boxFolder(join(link, 'box'))), { code: 'folder_unusable' });
});

t.test('with umask 000, other users can write nothing of the box', async (t) => {
  const box = await makeBox(t, vendor);
  const before = process.umask(0);
  try {
    t.match(await box.install(), { exitCode: 0 });
  } finally {
    process.umask(before);
  }
  const found = spawnSync('find', [box.dir, '-perm', '/022', '-not', '-type', 'l'], { encoding: 'utf8' });
  t.equal(found.stdout, '');
});

t.test('with umask 077, the box works', async (t) => {
  const box = await makeBox(t, vendor);
  const before = process.umask(0o077);
  try {
    t.match(await box.install(), { exitCode: 0 });
  } finally {
    process.umask(before);
  }
  t.equal((await stat(box.dir)).mode & 0o777, 0o700);
  t.match(await box.ask(), { version: '0.1.0' });
});

t.test('few open files', async (t) => {
  t.match(asFailure(Object.assign(new Error('EMFILE'), { code: 'EMFILE' })), {
    code: 'unexpected',
    message: /too many open files/,
    advice: /ulimit -n/,
  });
  // As PostgreSQL 18 and Node print them.
  for (const line of [
    'FATAL:  insufficient file descriptors available to start server process',
    "the box cannot start: EMFILE: too many open files, open '/srv/x.js'",
  ]) {
    t.match(causeIn(`${line}\nchild process exited with exit code 1`), {
      code: 'box_not_healthy',
      advice: /ulimit -n/,
    });
  }
});

t.test('a full disk, in the words of Node, PostgreSQL and the box', async (t) => {
  for (const line of [
    'Error: ENOSPC: no space left on device, write',
    'could not extend file "base/16384/17402": No space left on device',
    'FATAL:  could not extend file "base/1/2702": wrote only 4096 of 8192 bytes at block 0',
    'HINT:  Check free disk space.',
    'the box cannot start: The disk that holds /srv/my box/data/postgresql is full: free some space',
  ]) {
    t.match(causeIn(`${line}\ninitdb: removing contents of data directory`), { code: 'disk_full', exitCode: 8 }, line);
  }
  t.equal(causeIn('the disk is fine'), undefined);
});

t.test('a certificate that is out of its time may be the fault of the clock', async (t) => {
  const now = new Date('2016-01-01T00:00:00Z');
  t.match(networkAdvice('certificate is not yet valid', 'usual', now), /clock of this machine, which says 2016-01-01T/);
  t.match(networkAdvice('certificate has expired', 'usual', now), /clock/);
  t.equal(networkAdvice('connect ECONNREFUSED', 'usual', now), 'usual');
});

t.test('a disk that is full for the new release and for the old one is still disk_full', async (t) => {
  const runtime = `${scope}/runtime`;
  t.teardown(() => vendor.packages.set(runtime, makeRuntime()));
  vendor.packages.set(runtime, makeRuntime('0.1.0', 'needs space'));
  const box = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  vendor.packages.set(runtime, makeRuntime('0.2.0', 'needs space'));
  await writeFile(join(box.folder.logs, 'full'), '');
  const { exitCode, end } = await box.install();
  t.equal(exitCode, 8);
  t.match(end.error, { code: 'disk_full', message: /the rollback failed, too/, advice: /Free some space/ });
  t.match(await box.run(['start', '--json']), { exitCode: 8, end: { error: { code: 'disk_full' } } });
  await rm(join(box.folder.logs, 'full'));
  const last = await box.install();
  t.match(last, { exitCode: 0 }, 'with space, the next install finishes');
  const { release } = last.end.result as { release: string };
  t.match(await box.run(['status', '--json']), { exitCode: 0, end: { result: { release, healthy: true } } });
});
