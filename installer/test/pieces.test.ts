/**
 * Unit tests of the parts that need no box: exit codes, releases, settings, files, locks, processes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, realpath, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import t from 'tap';
import { writeAtomically } from '../box/files.ts';
import { boxUrl } from '../box/health.ts';
import { withLock } from '../box/lock.ts';
import { identify, isAlive, isSame } from '../box/process-table.ts';
import { updateSecrets } from '../box/settings.ts';
import { asFailure, Failure } from '../failure.ts';
import { failureLine } from '../output/plain.ts';
import { mountOf } from '../preflight.ts';
import { mapConcurrently } from '../pull/map-concurrently.ts';
import { runsOn } from '../pull/resolve.ts';
import { createLock, releaseId } from '../release/lock-file.ts';

t.test('the id of a release depends on its contents only', async (t) => {
  const a = { name: '@x/a', version: '1.0.0', integrity: 'sha512-aa' };
  const b = { name: '@x/b', version: '1.0.0', integrity: 'sha512-bb' };
  const id = releaseId(createLock('basic', [a, b]));
  t.match(id, /^[0-9a-f]{16}$/);
  t.equal(releaseId(createLock('basic', [b, a])), id, 'the order of the packages does not matter');
  t.not(releaseId(createLock('growth', [a, b])), id);
  t.not(releaseId(createLock('basic', [a, { ...b, integrity: 'sha512-cc' }])), id);
  t.not(releaseId(createLock('basic', [a])), id);
});

t.test('whether a package runs on a platform', async (t) => {
  const here = { os: 'linux', cpu: 'x64' };
  t.ok(runsOn({}, here));
  t.ok(runsOn({ os: ['linux', 'darwin'], cpu: 'x64' }, here));
  t.ok(runsOn({ os: ['!win32'] }, here));
  t.notOk(runsOn({ os: ['!linux'] }, here));
  t.notOk(runsOn({ cpu: ['arm64'] }, here));
});

t.test('box.env', async (t) => {
  const secrets = { LICENSE_KEY: 'ctn_x', OPERATOR_SECRET: 'a-b', HOSTING_SECRET: 'c' };
  const database = 'postgres://u:p%23@h/d?a=1&b=$2';
  const text = updateSecrets('# mine\nSMTP_URL="x"\nOPERATOR_SECRET=old\n', { ...secrets, DATABASE_URL: database });
  t.same({ ...parseEnv(text) }, { SMTP_URL: 'x', ...secrets, DATABASE_URL: database });
  t.match(text, /^# mine\nSMTP_URL="x"\n/, 'the operator’s lines stay');
  t.notMatch(updateSecrets(text, secrets), 'DATABASE_URL', 'a managed name without a value is removed');
  const withKey = updateSecrets(text, { ...secrets, SECOND_FACTOR_KEY: 'k' });
  t.match(withKey, /^SECOND_FACTOR_KEY=k$/m, 'a missing key is added');
  const chosen = 'SECOND_FACTOR_KEY=\'with "quotes" and \\\'\n';
  t.match(updateSecrets(chosen, { ...secrets, SECOND_FACTOR_KEY: 'other' }), chosen, 'a key of the operator stays');
  t.throws(() => updateSecrets('', { ...secrets, DATABASE_URL: "postgres://'\n" }), { code: 'usage' });
  const file = join(t.testdir({ 'box.env': text }), 'box.env');
  const read = execFileSync('sh', ['-c', `. ${file}; printf %s "$DATABASE_URL"`], { encoding: 'utf8' });
  t.equal(read, database, 'a shell reads the same value');
});

t.test('a file is written atomically, with its mode', async (t) => {
  const path = join(t.testdir(), 'secret');
  await writeAtomically(path, 'one', 0o600);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  await t.rejects(writeAtomically(join(path, 'below a file'), 'two'));
  t.equal(await readFile(path, 'utf8'), 'one');
});

t.test('the lock', async (t) => {
  const folder = join(t.testdir(), 'not', 'there', 'yet');
  const link = join(t.testdir({ real: {} }), 'link');
  await t.test('excludes other commands during the work', async (t) => {
    await withLock(folder, 'install', async () => {
      await t.rejects(
        withLock(folder, 'start', async () => {}),
        {
          code: 'busy',
          message: `install (process ${process.pid}) is using ${folder}`,
        },
      );
    });
    t.equal(await withLock(folder, 'start', async () => 'free'), 'free');
  });
  await t.test('is released after an error', async (t) => {
    await t.rejects(
      withLock(folder, 'install', () => Promise.reject(new Error('failed'))),
      { message: 'failed' },
    );
    t.equal(await withLock(folder, 'start', async () => 'free'), 'free');
  });
  await t.test('is the same for all paths of a folder', async (t) => {
    await symlink(join(link, '../real'), link);
    await withLock(join(link, 'box'), 'install', async () => {
      await t.rejects(
        withLock(join(link, '../real/box'), 'start', async () => {}),
        { code: 'busy' },
      );
    });
  });
  await t.test('is released when its process is killed', async (t) => {
    const program = `import { withLock } from ${JSON.stringify(new URL('../box/lock.ts', import.meta.url).href)};
      await withLock(${JSON.stringify(folder)}, 'install', () => { console.log('held'); return new Promise((r) => setTimeout(r, 60_000)); });`;
    const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    await t.rejects(
      withLock(folder, 'start', async () => {}),
      { code: 'busy' },
    );
    const [socket = ''] = readdirSync(folder);
    t.equal(
      (await stat(join(folder, socket))).mode & 0o777,
      0o600,
      'no other user can connect to it, or bind its name',
    );
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    t.ok(existsSync(join(folder, socket)), 'a killed process leaves the file');
    t.equal(await withLock(folder, 'start', async () => 'free'), 'free');
    t.strictSame(readdirSync(folder), [], 'and the next command removes it');
  });
  await t.test('is given to one of several commands that want it at once', async (t) => {
    let holders = 0;
    const want = (number: number) =>
      withLock(folder, `start ${number}`, async () => {
        holders += 1;
        t.equal(holders, 1);
        await new Promise((resolve) => setImmediate(resolve));
        holders -= 1;
      }).then(
        () => 'held',
        ({ code }) => code,
      );
    for (let round = 0; round < 10; round += 1) {
      const ends = await Promise.all(Array.from({ length: 5 }, (_, number) => want(number)));
      t.ok(ends.includes('held'), 'one has it');
      t.ok(ends.every((end) => end === 'held' || end === 'busy'));
    }
  });
  await t.test('cannot be held by another user, who knows the path', async (t) => {
    const path = await realpath(t.testdir());
    const name = `\0carton-box-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(name, resolve));
    t.teardown(() => squatter.close());
    t.equal(await withLock(path, 'start', async () => 'free'), 'free');
  });
});

t.test('a process is identified by more than its id', async (t) => {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
  const pid = child.pid as number;
  const identity = (await identify(pid)) as string;
  t.ok(await isAlive({ pid, identity }));
  t.notOk(await isAlive({ pid, identity: identity.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)) }));
  child.kill('SIGKILL');
  await once(child, 'exit');
  t.notOk(await isAlive({ pid, identity }));
});

t.test('the identity of a process in a container that shows another boot id, and after a reboot', (t) => {
  const recorded = 'a1:1795567016:4711';
  t.ok(isSame(recorded, 'a1:1795567016:4711'));
  t.ok(isSame(recorded, 'a1:1795569999:4711'), 'the clock was set');
  t.ok(isSame(recorded, 'b2:1795567017:4711'), 'the same boot with another id');
  t.notOk(isSame(recorded, 'b2:1795567046:4711'), 'another boot, with a process that started after the same time');
  t.notOk(isSame(recorded, 'a1:1795567016:4712'));
  t.ok(isSame('a1:4711', 'a1:1795567016:4711'), 'written by an earlier version');
  t.notOk(isSame('a1:4711', 'b2:1795567016:4711'));
  t.notOk(isSame('', 'a1:1795567016:4711'), 'a process that had exited when it was recorded');
  t.end();
});

t.test('mapConcurrently', async (t) => {
  let running = 0;
  let max = 0;
  const done = await mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    running += 1;
    max = Math.max(max, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return item * 2;
  });
  t.same(done, [2, 4, 6, 8, 10]);
  t.equal(max, 2);
  const started: number[] = [];
  await t.rejects(
    mapConcurrently([1, 2, 3], 1, async (item) => {
      started.push(item);
      throw new Error(`item ${item}`);
    }),
    { message: 'item 1' },
  );
  t.same(started, [1], 'no call begins after an error');
});

t.test('failures', async (t) => {
  t.equal(asFailure(Object.assign(new Error('write'), { code: 'ENOSPC' })).code, 'disk_full');
  t.equal(asFailure(Object.assign(new Error('x'), { code: 'EACCES', path: '/x' })).code, 'folder_unusable');
  t.equal(asFailure(new Error('surprise')).code, 'unexpected');
  const failure = new Failure('port_taken', 'it is\nin use.', 'Choose another.');
  t.equal(asFailure(failure), failure);
  t.equal(failureLine(failure), 'carton: it is in use. Choose another.');
});

t.test('addresses', async (t) => {
  t.equal(boxUrl({ host: '0.0.0.0', port: 80 }), 'http://127.0.0.1:80');
  t.equal(boxUrl({ host: '::', port: 80 }), 'http://[::1]:80');
  t.equal(boxUrl({ host: 'fe80::1', port: 80 }), 'http://[fe80::1]:80');
  t.equal(boxUrl({ host: '10.0.0.7', port: 80 }), 'http://10.0.0.7:80');
});

t.test('the file system of a path', async (t) => {
  const mounts = [
    '/dev/vda / ext4 rw,relatime 0 0',
    'tmpfs /srv tmpfs rw,nosuid,noexec 0 0',
    '/dev/vdb /srv/with\\040space ext4 rw 0 0',
    'tmpfs /srv/twice tmpfs rw 0 0',
    'tmpfs /srv/twice tmpfs rw,noexec 0 0',
    '',
  ].join('\n');
  for (const [path, folder, isNoExec] of [
    ['/home/box', '/', false],
    ['/srv', '/srv', true],
    ['/srv/box', '/srv', true],
    ['/srvother', '/', false],
    ['/srv/with space/box', '/srv/with space', false],
    ['/srv/twice/box', '/srv/twice', true],
  ] as const) {
    const mount = mountOf(path, mounts);
    t.strictSame([mount?.folder, mount?.options.includes('noexec')], [folder, isNoExec], path);
  }
  t.equal(mountOf('/srv', ''), undefined);
});
