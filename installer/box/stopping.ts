/**
 * Stopping a box's process: SIGTERM, then a wait, and SIGKILL only if requested.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { isAlive } from './process-table.ts';
import { type RunningBox, removePidFile } from './running.ts';
import { readSecrets } from './settings.ts';

const pollMilliseconds = 50;
/** For requests in flight, the last traces and the database. */
const shutdownSeconds = 30;

/** Returns the default timeout of a stop, in seconds. It includes DRAIN_SECONDS, during which the box still serves. */
export async function readStopSeconds(folder: BoxFolder): Promise<number> {
  const { DRAIN_SECONDS } = await readSecrets(folder);
  return shutdownSeconds + (Number(DRAIN_SECONDS) || 0);
}

/**
 * Sends SIGTERM, after which the box drains and finishes requests in flight, and waits until the process has exited.
 * @param options.seconds the timeout
 * @param options.force whether to kill the process after the timeout
 * @throws Failure did_not_stop after the timeout, folder_unusable when the process belongs to another user
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
        `the box (process ${box.pid}) did not stop within ${options.seconds} s`,
        'It may still be finishing requests: check with status, or use stop --force',
      );
    }
    output.warn(`the box did not stop within ${options.seconds} s; killing it`);
    await signal(box, 'SIGKILL');
    await waitForExit(box, options.seconds, output);
  }
  // A supervisor does that itself, and may have started the next box.
  if (!box.supervised) await removePidFile(folder, box);
}

/** Waits until the process has exited. @returns false after the timeout */
export async function waitForExit(
  box: Pick<RunningBox, 'pid' | 'identity'>,
  seconds: number,
  output: Output,
): Promise<boolean> {
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
  // Checked again immediately before: a process that has reused the id must not be signalled.
  if (!(await isAlive(box))) return;
  try {
    process.kill(box.pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    if (code === 'EPERM') {
      throw new Failure(
        'folder_unusable',
        `the box (process ${box.pid}) belongs to another user`,
        'Run the command as that user',
      );
    }
    throw error;
  }
}
