/**
 * Stopping a box so that its supervisor does not start another.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Output } from '../output/output.ts';
import { openReplacement } from './control.ts';
import { controlPath, hasSupervisor } from './control-socket.ts';
import { type BoxFolder, exists } from './folder.ts';
import { removeLaunchQueue, writeLaunchQueue } from './launch-queue.ts';
import { isAlive } from './process-table.ts';
import { findRunningBox, isInBackground, type RunningBox } from './running.ts';
import { readStopSeconds, stopBox } from './stopping.ts';

const pollMilliseconds = 20;
/** The supervisor ends boxes that it has replaced, which may still have requests. */
const releaseMilliseconds = 30_000;

/**
 * Stops a running box, and waits until its port is free.
 * @param options.timeoutSeconds how long to wait for the box, in seconds; 30 plus DRAIN_SECONDS by default
 * @param options.force whether to kill the box if it has not stopped by then
 * @throws Failure did_not_stop
 */
export async function stopForGood(
  folder: BoxFolder,
  running: RunningBox,
  output: Output,
  options: { timeoutSeconds?: number; force?: boolean } = {},
): Promise<void> {
  const waitOptions = { seconds: options.timeoutSeconds ?? (await readStopSeconds(folder)), force: options.force };
  await endRetired(folder, running);
  // Without an empty launch queue the supervisor would restart a box that is killed. Not written before that wait: of a
  // command that is interrupted in it the queue would stay, and end the supervisor whenever the box crashes.
  if (running.supervised) await writeLaunchQueue(folder, []);
  try {
    // It may have crashed meanwhile, and been started again.
    const present = (await findRunningBox(folder)) ?? running;
    await stopBox(folder, present, output, waitOptions);
  } catch (error) {
    await removeLaunchQueue(folder);
    throw error;
  }
  await untilReleased(folder, running);
}

/** Ends the boxes that were replaced: the present one stops the database, which they need for their last requests. */
export async function endRetired(folder: BoxFolder, running: RunningBox): Promise<void> {
  const session = await openReplacement(folder, running);
  if (!session) return;
  session.send({ request: 'endRetired' });
  // The supervisor kills those that do not end. An earlier version of it ends the session.
  await Promise.race([session.next(), pause(releaseMilliseconds, undefined, { ref: false })]);
  session.end();
}

/**
 * Ends the supervisor of a box that has crashed, which otherwise restarts it after a pause of up to 30 seconds and holds
 * its port meanwhile.
 * @returns whether there was one
 */
export async function endPausedSupervisor(folder: BoxFolder, output: Output): Promise<boolean> {
  if (!(await hasSupervisor(folder))) return false;
  // An empty launch queue ends the pause, and the supervisor.
  await writeLaunchQueue(folder, []);
  try {
    const until = Date.now() + releaseMilliseconds;
    while (Date.now() < until && (await hasSupervisor(folder))) {
      const running = await findRunningBox(folder);
      // The pause was over.
      if (running) await stopBox(folder, running, output, { seconds: await readStopSeconds(folder), force: true });
      await pause(pollMilliseconds);
    }
    return true;
  } finally {
    await removeLaunchQueue(folder);
  }
}

/** Waits until the supervisor has closed its sockets; one in the background, until it has exited. */
async function untilReleased(folder: BoxFolder, running: RunningBox): Promise<void> {
  const { parent, supervised } = running;
  if (!supervised || !parent) return;
  const holds = async () => (isInBackground(running) ? true : await exists(controlPath(folder)));
  const until = Date.now() + releaseMilliseconds;
  while (Date.now() < until && (await isAlive(parent)) && (await holds())) await pause(pollMilliseconds);
}
