/**
 * A box that crashes at each start: its supervisor waits longer and longer, and holds the port. Commands end that
 * supervisor, and say what is wrong.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { hasSupervisor } from '../box/control-socket.ts';
import { findRunningBox } from '../box/running.ts';
import { scope } from '../vendor.ts';
import { key, makeBox, until } from './support/box.ts';
import { handsOver, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const runtime = `${scope}/runtime`;
const vendor = await startVendor([makeRuntime('0.1.0', 'needs space', handsOver)], {
  [key]: { tier: 'basic', packages: [runtime] },
});
t.teardown(() => vendor.close());

/** What the supervisor says once the box has crashed at a start: the pause is longer than the first one. */
const crashed = 'restarting it in 500 ms';

/** Installs a box that has been healthy, and crashes now at each start. */
async function crashingBox(t: Test) {
  const box = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  const full = join(box.folder.logs, 'full');
  await writeFile(full, '');
  process.kill((await findRunningBox(box.folder))?.pid as number, 'SIGKILL');
  await until(async () => (await readFile(box.folder.log, 'utf8')).includes(crashed));
  return { ...box, mend: () => rm(full) };
}

/** Whether nothing runs and nothing is going to start a box. */
async function isOver({ folder }: { folder: Parameters<typeof hasSupervisor>[0] }): Promise<boolean> {
  return !(await hasSupervisor(folder)) && (await findRunningBox(folder)) === undefined;
}

t.test('start says why, and starts the box when the cause has gone', async (t) => {
  const box = await crashingBox(t);
  t.match(await box.run(['start', '--json']), { exitCode: 8, end: { error: { code: 'disk_full' } } });
  t.ok(await isOver(box));
  await box.mend();
  t.match(await box.run(['start', '--json']), { exitCode: 0, end: { result: { alreadyRunning: false } } });
});

t.test('start does not wait for the end of the pause', async (t) => {
  const box = await crashingBox(t);
  await box.mend();
  t.match(await box.run(['start', '--json']), { exitCode: 0 });
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
});

t.test('start in the foreground', async (t) => {
  const box = await crashingBox(t);
  await box.mend();
  const parent = box.begin(['start', '--foreground', '--json']);
  await until(async () => (await findRunningBox(box.folder))?.parent?.pid === parent.child.pid);
  await parent.printed('"event":"healthy"');
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
  parent.child.kill('SIGTERM');
  t.match(await parent.ended, { exitCode: 0 });
  t.ok(await isOver(box));
});

t.test('stop, restart and install', async (t) => {
  const box = await crashingBox(t);
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: true } } });
  t.ok(await isOver(box));
  await box.mend();

  const restarted = await crashingBox(t);
  await restarted.mend();
  t.match(await restarted.run(['restart', '--json']), { exitCode: 0 });
  t.match(await restarted.run(['status', '--json']), { exitCode: 0 });

  const installed = await crashingBox(t);
  await installed.mend();
  t.match(await installed.install(), { exitCode: 0 });
  t.match(await installed.run(['status', '--json']), { exitCode: 0 });
});

t.test('a box that its supervisor has not found healthy yet, but the command that started it', async (t) => {
  const vendor = await startVendor([makeRuntime('0.1.0', 'unready in private', handsOver)], {
    [key]: { tier: 'basic', packages: [runtime] },
  });
  t.teardown(() => vendor.close());
  const { folder, ...box } = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  const first = await findRunningBox(folder);
  process.kill(first?.pid as number, 'SIGKILL');
  const hasAnother = async () => ![undefined, first?.pid].includes((await findRunningBox(folder))?.pid);
  await until(async () => (await hasAnother()) || !(await hasSupervisor(folder)));
  t.ok(await hasAnother(), 'it is restarted');
  t.match(await box.run(['stop', '--json']), { exitCode: 0, end: { result: { stopped: true } } });
});

t.test('stop in another terminal: a service manager does not restart the box', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  await writeFile(join(box.folder.logs, 'full'), '');
  process.kill((await findRunningBox(box.folder))?.pid as number, 'SIGKILL');
  await parent.printed(crashed);
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  t.match(await parent.ended, { exitCode: 0, end: { result: { ended: true } } });
});

t.test('uninstall', async (t) => {
  const box = await crashingBox(t);
  t.match(await box.run(['uninstall', '--yes', '--json']), { exitCode: 0 });
  t.ok(await isOver(box));
});
