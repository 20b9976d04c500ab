/**
 * A signal to stop that arrives while a box starts, or while nothing of it runs: it takes effect, and nothing is left.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { findServer } from '../backup/home.ts';
import { writeLaunchQueue } from '../box/launch-queue.ts';
import { identify, isAlive } from '../box/process-table.ts';
import { findRunningBox, type RunningBox } from '../box/running.ts';
import { readyToLaunch } from '../commands/start/start.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, type TestBox, until } from './support/box.ts';
import { commandFile } from './support/command.ts';
import { handsOver, hasWorkers, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const runtime = `${scope}/runtime`;
const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [runtime] } });
t.teardown(() => vendor.close());

const running = async ({ folder }: TestBox): Promise<RunningBox> => {
  await until(async () => (await findRunningBox(folder)) !== undefined);
  return (await findRunningBox(folder)) as RunningBox;
};

/** Starts the supervisor as `start` does, which sends it the launch only after that. */
async function beginSupervisor({ dir }: TestBox) {
  const child = spawn(process.execPath, [commandFile, 'supervise', '--dir', dir], {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  // More than a pipe holds: it is written when the supervisor reads.
  await new Promise((resolve) => child.stdin.write(' '.repeat(2 ** 20), resolve));
  return { child, ended };
}

t.test('in the foreground, before the box handles signals', async (t) => {
  for (const more of [{}, handsOver, hasWorkers]) {
    vendor.packages.set(runtime, makeRuntime('0.1.0', 'never loads', more));
    const box = await makeBox(t, vendor);
    await box.install(['--no-start']);
    const parent = box.begin(['start', '--foreground', '--json']);
    const { pid } = await running(box);
    parent.child.kill('SIGTERM');
    t.match(await parent.ended, { exitCode: 0 }, 'it has not failed');
    t.equal(await identify(pid), undefined);
    t.same(await list(box.folder.run), []);
  }
});

t.test('before the supervisor has launched the box', async (t) => {
  vendor.packages.set(runtime, makeRuntime('0.1.0', 'healthy', handsOver));
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const { child, ended } = await beginSupervisor(box);
  child.kill('SIGTERM');
  child.stdin.end(JSON.stringify(await readyToLaunch(box.folder)));
  t.strictSame(await ended, [0, null]);
  t.equal(await findRunningBox(box.folder), undefined, 'no box is left without it');
});

t.test('while the supervisor waits for a command that works while no box runs', async (t) => {
  vendor.packages.set(runtime, makeRuntime('0.1.0', 'healthy', handsOver));
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  const former = await running(box);
  await writeLaunchQueue(box.folder, [{ holder: { pid: process.pid, identity: (await identify(process.pid)) ?? '' } }]);
  process.kill(former.pid, 'SIGTERM');
  await until(async () => !(await isAlive(former)) && (await findRunningBox(box.folder)) === undefined);
  parent.child.kill('SIGTERM');
  t.match(await parent.ended, { exitCode: 0 });
  t.equal(await findRunningBox(box.folder), undefined);
});

t.test('before a box that is started again has taken its PostgreSQL over', async (t) => {
  vendor.packages.set(runtime, makeRuntime('0.1.0', 'healthy', handsOver));
  const box = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  // As a box that crashes leaves it.
  const directory = join(box.folder.data, 'postgresql');
  const program = `
    import { startEmbeddedPostgres } from '@carton/runtime/service';
    await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} });
    process.kill(process.pid, 'SIGKILL');`;
  const options = ['--conditions=workspace-source', '--input-type=module', '--eval', program];
  const crashed = spawn(process.execPath, options, { cwd: import.meta.dirname, stdio: 'inherit' });
  t.strictSame(await once(crashed, 'exit'), [null, 'SIGKILL']);
  const data = join(directory, 'data');
  const server = await findServer(data);
  t.match(server, { pid: Number });
  t.match(await box.run(['stop', '--json']), {
    exitCode: 0,
    end: { result: { stopped: true, databasePid: server?.pid } },
  });
  t.equal(await findServer(data), undefined);
});
