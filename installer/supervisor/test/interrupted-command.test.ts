/**
 * A command that is interrupted while it waits for boxes that were replaced leaves nothing that ends the supervisor later.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { type ControlSession, serveControl } from '../../box/control.ts';
import { boxFolder, exists } from '../../box/folder.ts';
import { identify } from '../../box/process-table.ts';
import { findRunningBox, type RunningBox, removePidFile, writePidFile } from '../../box/running.ts';
import { stopForGood } from '../../box/stop-for-good.ts';
import { silent } from '../../output/output.ts';

/** A process that runs until it is stopped, with its PID file, and this process as its supervisor. */
async function beginBox(t: Test, folder: ReturnType<typeof boxFolder>) {
  const child = spawn('sleep', ['60']);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const [pid, identity] = [child.pid as number, (await identify(child.pid as number)) as string];
  const parent = { pid: process.pid, identity: (await identify(process.pid)) as string };
  const box: RunningBox = { pid, identity, release: 'one', parent, supervised: true, orphaned: false };
  await writePidFile(folder, box);
  return { box, ended: once(child, 'exit') };
}

t.test('the launch queue is written after the wait, and stops the box that runs then', async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  const first = await beginBox(t, folder);
  const waits: boolean[] = [];
  const another = Promise.withResolvers<Awaited<ReturnType<typeof beginBox>>>();
  const answer = async (session: ControlSession) => {
    waits.push(await exists(folder.launchQueue));
    process.kill(first.box.pid, 'SIGKILL');
    await first.ended;
    another.resolve(await beginBox(t, folder));
    session.answer({ answer: 'retiredEnded' });
  };
  const close = await serveControl(folder, (session) => session.onRequest(() => void answer(session)));
  const stopped = stopForGood(folder, first.box, silent, { timeoutSeconds: 10 });
  const second = await another.promise;
  t.strictSame(await second.ended, [null, 'SIGTERM'], 'the box that was started meanwhile');
  t.ok(await exists(folder.launchQueue), 'the supervisor starts no other');
  await close();
  await stopped;
  t.strictSame(waits, [false], 'no queue during the wait');
  await removePidFile(folder, second.box);
  t.equal(await findRunningBox(folder), undefined);
  t.strictSame(await readdir(folder.run), ['next.json']);
});
