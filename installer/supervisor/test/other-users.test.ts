/**
 * What another user of the machine can do: root takes no process for the box because that user says so, and nobody else can
 * write where the supervisor reads.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { serveControl } from '../../box/control.ts';
import { boxFolder, releaseEntry } from '../../box/folder.ts';
import { writeLaunchQueue } from '../../box/launch-queue.ts';
import { identify } from '../../box/process-table.ts';
import { findRunningBox, writePidFile } from '../../box/running.ts';

const isNotRoot = process.getuid?.() === 0 ? false : 'only root can';
const nobody = 65_534;

/** Starts a process that looks like the box of a folder. */
async function pretend(t: Test, folder: ReturnType<typeof boxFolder>, user: number): Promise<ChildProcess> {
  const words = ['-c', 'read line', 'sh', releaseEntry(folder, 'one')];
  const child = spawn('sh', words, {
    uid: user,
    cwd: '/',
    env: { BOX_HOME: folder.root },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child;
}

t.test('a process of another user that looks like the box', { skip: isNotRoot }, async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  await pretend(t, folder, nobody);
  t.equal(await findRunningBox(folder), undefined);
  const box = await pretend(t, folder, 0);
  t.match(await findRunningBox(folder), { pid: box.pid as number, orphaned: true });
});

t.test('a PID file of another user that names a process of root', { skip: isNotRoot }, async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  const pid = (await pretend(t, boxFolder('/elsewhere'), 0)).pid as number;
  const identity = (await identify(pid)) as string;
  await writePidFile(folder, { pid, identity, release: 'one', supervised: false, orphaned: false });
  t.match(await findRunningBox(folder), { pid });
  await chown(folder.pid, nobody, nobody);
  t.equal(await findRunningBox(folder), undefined);
});

t.test('only the user of the box can use its control socket and read its launch queue', async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  const close = await serveControl(folder, () => {});
  t.equal((await stat(join(folder.run, 'control.sock'))).mode & 0o777, 0o600);
  await close();
  await writeLaunchQueue(folder, []);
  t.equal((await stat(folder.launchQueue)).mode & 0o777, 0o600);
});
