/**
 * `restart`, `logs` and `uninstall` on an installed box.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chown, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exactly, temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { rotate } from '../box/log-rotation.ts';
import { findRunningBox } from '../box/running.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());
const isNotRoot = process.getuid?.() === 0 ? false : 'only root can';

t.test('restart starts another process with the settings on disk, also a box that is not running', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install();
  await appendFile(box.folder.secrets, 'DRAIN_SECONDS=7\nGREETING=hello\nNODE_OPTIONS=--require=/tmp/evil.cjs\n');
  const restarted = await box.run(['restart', '--json']);
  t.match(restarted, { exitCode: 0, end: { result: { url: box.url, alreadyRunning: false } } });
  t.not(restarted.end.result?.pid, end.result?.pid);
  const { environment = {} } = (await box.ask()) ?? {};
  t.equal(environment.DRAIN_SECONDS, '7');
  t.notHas(environment, { GREETING: 'hello' }, 'what is no setting does not reach the box');
  t.notMatch(environment.NODE_OPTIONS, /require/);
  const ignored = restarted.events.find(({ risk }) => risk === 'ignored_settings');
  t.match(ignored, { event: 'warning', names: exactly(['GREETING', 'NODE_OPTIONS']) });
  await box.run(['stop', '--json']);
  t.match(await box.run(['restart', '--json']), { exitCode: 0, end: { result: { alreadyRunning: false } } });
});

t.test('restart of a box in the foreground leaves it to its parent', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  const before = await findRunningBox(box.folder);
  t.match(await box.run(['restart', '--json']), { exitCode: 0, end: { result: { alreadyRunning: false } } });
  const after = await findRunningBox(box.folder);
  t.not(after?.pid, before?.pid);
  t.match(after, { supervised: true, parent: { pid: parent.child.pid } });
  parent.child.kill('SIGTERM');
  t.equal((await parent.ended).exitCode, 0);
});

t.test('logs prints the last lines, and follows a log that is renamed', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  t.match(await box.run(['logs']), { exitCode: 0, stdout: /^warning: the box has written no log yet/ });
  await mkdir(box.folder.logs, { recursive: true });
  const line = (number: number) => `{"line":${number},"text":"${'x'.repeat(300)}"}\n`;
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => line(from + at)).join('');
  await writeFile(box.folder.log, lines(1, 1000));
  t.equal((await box.run(['logs', '--lines', '3'])).stdout, lines(998, 1000));
  t.equal((await box.run(['logs', '-n', '400'])).stdout, lines(601, 1000), 'more than one chunk');
  t.equal((await box.run(['logs', '-n', '5000'])).stdout, lines(1, 1000));
  t.match(await box.run(['logs', '-n', 'many', '--json']), { exitCode: 2 });

  const { child, ended, printed } = box.begin(['logs', '--follow', '--lines', '1']);
  await printed(line(1000));
  await appendFile(box.folder.log, line(1001));
  await printed(line(1001));
  await rename(box.folder.log, `${box.folder.log}.1`);
  await writeFile(box.folder.log, line(1));
  await printed(line(1));
  child.kill('SIGINT');
  t.match(await ended, { exitCode: 0, stdout: line(1000) + line(1001) + line(1) });
});

t.test('a long log is rotated while it is written, and logs follows it', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  await mkdir(box.folder.logs, { recursive: true });
  const output = await open(box.folder.log, 'a'); // as the box has it
  t.teardown(() => output.close());
  const line = (number: number) => `line ${String(number).padStart(200, '0')}\n`;
  await output.write(line(1));
  const { child, ended, printed } = box.begin(['logs', '--follow', '--lines', '1']);
  await printed(line(1));
  child.kill('SIGSTOP'); // so that it misses what follows
  let expected = line(1);
  for (let number = 2; number <= 6; number++) {
    await output.write(line(number));
    expected += line(number);
  }
  rotate(box.folder.log, 2000);
  t.notOk(existsSync(`${box.folder.log}.1`), 'a short log stays');
  rotate(box.folder.log, 500);
  t.equal((await stat(box.folder.log)).size, 0);
  await output.write(line(7));
  child.kill('SIGCONT');
  await printed(line(7));
  child.kill('SIGINT');
  t.match(await ended, { exitCode: 0, stdout: expected + line(7) }, 'no line is lost');

  for (let number = 8; number <= 20; number++) {
    await output.write(line(number));
    rotate(box.folder.log, 100);
  }
  t.strictSame(await list(box.folder.logs), ['box.log', 'box.log.1', 'box.log.2', 'box.log.3']);
  t.equal(await readFile(`${box.folder.log}.3`, 'utf8'), line(18), 'the oldest are removed');
});

t.test('logs --follow ends when its reader does', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  await mkdir(box.folder.logs, { recursive: true });
  await writeFile(box.folder.log, 'first\n');
  const ended = box.runForOneLine(['logs', '--follow']);
  // The first write after the reader has closed the pipe tells.
  const timer = setInterval(() => appendFile(box.folder.log, 'more\n'), 100);
  t.match(await ended, { exitCode: 0, stdout: 'first\n' });
  clearInterval(timer);
});

t.test('uninstall keeps the data, and an install goes on with it', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install([], { OPERATOR_SECRET: 'the-secret-of-the-operator', DATABASE_URL: 'postgres://own.example/shop' });
  const orders = join(box.folder.data, 'orders');
  await mkdir(box.folder.data, { recursive: true });
  await writeFile(orders, 'kept');
  t.match(await box.run(['uninstall', '--json']), {
    exitCode: 0,
    end: {
      result: {
        removed: exactly(['box.json', 'current', 'releases', 'run']),
        kept: exactly(['.backup-key', '.installation-id', 'box.env', 'data', 'logs']),
      },
    },
  });
  t.equal(await findRunningBox(box.folder), undefined);
  t.equal(await box.ask(), undefined);
  t.strictSame(await list(box.dir), ['.backup-key', '.installation-id', 'box.env', 'data', 'logs']);
  t.match(await box.run(['status', '--json']), { exitCode: 12 });
  t.match(await box.run(['uninstall', '--json']), { exitCode: 12 });

  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), {
    environment: { OPERATOR_SECRET: 'the-secret-of-the-operator', DATABASE_URL: 'postgres://own.example/shop' },
  });
  t.equal(await readFile(orders, 'utf8'), 'kept');
});

t.test('data is removed only when that is confirmed', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await mkdir(box.folder.data, { recursive: true });
  await writeFile(join(box.dir, 'backup.json'), '{}');
  t.match(await box.run(['uninstall', '--data', '--json']), { exitCode: 2, end: { error: { code: 'usage' } } });
  t.ok(await box.ask(), 'the box still runs');
  await box.run(['uninstall', '--json']);
  t.match(await box.run(['uninstall', '--data', '--yes', '--json']), {
    exitCode: 0,
    end: { result: { kept: exactly([]) } },
  });
  t.strictSame(await list(box.dir), []);
});

t.test('what is not of the box stays', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  await writeFile(join(box.dir, 'notes.txt'), 'mine');
  const { end } = await box.run(['uninstall', '--data', '--yes', '--json']);
  t.strictSame((end.result as unknown as { kept: string[] }).kept, ['notes.txt']);
  t.equal(await readFile(join(box.dir, 'notes.txt'), 'utf8'), 'mine');
});

t.test('of the releases, the current one and the one before stay', async (t) => {
  const box = await makeBox(t, vendor);
  const ids: string[] = [];
  for (const version of ['0.1.0', '0.1.1', '0.1.2', '0.1.3']) {
    vendor.packages.set(`${scope}/runtime`, makeRuntime(version));
    ids.push((await box.install()).end.result?.release as string);
  }
  t.strictSame(await list(box.folder.releases), ids.slice(2).toSorted());
  await box.install();
  t.strictSame(await list(box.folder.releases), ids.slice(2).toSorted(), 'an install without changes keeps both');
  vendor.packages.set(`${scope}/runtime`, makeRuntime());
});

t.test('root does not install or start in the folder of another user', { skip: isNotRoot }, async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  await chown(box.dir, 12_345, 12_345);
  const refused = { exitCode: 15, end: { error: { code: 'folder_unusable', advice: /sudo -u '#12345' carton/ } } };
  t.match(await box.install(), refused);
  t.match(await box.run(['start', '--json']), refused);
  t.match(await box.run(['status', '--json']), { exitCode: 13 });
});

t.test('a file system that does not run programs', { skip: isNotRoot }, async (t) => {
  const folder = await temporaryFolder('noexec-');
  await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'noexec,size=1m', 'tmpfs', folder]);
  t.teardown(async () => {
    await promisify(execFile)('umount', [folder]);
    await rm(folder, { recursive: true });
  });
  const box = await makeBox(t, vendor, folder);
  t.match(await box.install(), { exitCode: 15, end: { error: { message: /is mounted with noexec$/ } } });
});
