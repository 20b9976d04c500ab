/**
 * Ending a box's process: asking, waiting, and killing only when told to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive } from './process-table.ts';
import { type RunningBox, removePidFile } from './running.ts';
import { readSecrets } from './settings.ts';

const pollMilliseconds = 50;
/** For requests under way, the last traces and the database. */
const shutdownSeconds = 30;

/** How long a box is given to stop unless told, in seconds: it serves on for its DRAIN_SECONDS before it begins to. */
export async function readStopSeconds(folder: BoxFolder): Promise<number> {
  const { DRAIN_SECONDS } = await readSecrets(folder);
  return shutdownSeconds + (Number(DRAIN_SECONDS) || 0);
}

/**
 * Sends SIGTERM, which lets the box drain and requests under way end, and waits until the process is gone.
 * @param options.seconds how long to wait
 * @param options.force kill it when that time is over
 * @throws Failure did_not_stop when the time is over, folder_unusable when it belongs to another user
 */
export async function stopBox(
  folder: BoxFolder,
  box: RunningBox,
  output: Output,
  options: { seconds: number; force?: boolean },
): Promise<void> {
  await signal(box, 'SIGTERM');
  if (!(await waitForExit(box, options.seconds, output))) {
    if (!options.force) {
      throw new Failure(
        'did_not_stop',
        `the box (process ${box.pid}) has not stopped within ${options.seconds} s`,
        'It may still be ending requests: look again with status, or use stop --force',
      );
    }
    output.warn(`the box has not stopped within ${options.seconds} s and is killed`);
    await signal(box, 'SIGKILL');
    await waitForExit(box, options.seconds, output);
  }
  await removePidFile(folder, box);
}

/** Waits until the process is gone. @returns false when it is still there after the time */
export async function waitForExit(box: RunningBox, seconds: number, output: Output): Promise<boolean> {
  const began = Date.now();
  while (await isAlive(box)) {
    const waited = (Date.now() - began) / 1000;
    if (waited > seconds) return false;
    output.waiting('waiting for the box to stop', waited);
    await pause(pollMilliseconds);
  }
  return true;
}

async function signal(box: RunningBox, name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  // Looked at once more at the last moment: a number that now names another process must not be signalled.
  if (!(await isAlive(box))) return;
  try {
    process.kill(box.pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    if (code === 'EPERM') {
      throw new Failure('folder_unusable', `the box (process ${box.pid}) belongs to another user`, 'Run as that user');
    }
    throw error;
  }
}
