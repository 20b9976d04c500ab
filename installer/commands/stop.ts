/**
 * `stop`: stops the box after requests in flight have finished.
 */
import { type BoxFolder, boxFolder } from '../box/folder.ts';
import { withLock } from '../box/lock.ts';
import { findRunningBox, type RunningBox } from '../box/running.ts';
import { requireSettings } from '../box/settings.ts';
import { readStopSeconds, stopBox } from '../box/stopping.ts';
import { removeLaunchQueue, writeLaunchQueue } from '../box/supervision.ts';
import type { Output } from '../output/output.ts';

/** Options of `stop`. */
export interface StopOptions {
  /** The box's folder. */
  dir: string;
  /** How long to wait, in seconds; 30 plus DRAIN_SECONDS by default. */
  timeoutSeconds?: number;
  /** Whether to kill the box if it has not stopped by then. */
  force?: boolean;
}

/** The result of `stop`. */
export interface StopResult {
  dir: string;
  /** False if the box was not running. */
  stopped: boolean;
  /** The process that was stopped. */
  pid?: number;
}

/** @throws Failure not_installed, busy, did_not_stop */
export async function stop(options: StopOptions, output: Output): Promise<StopResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'stop', async () => {
    const running = await findRunningBox(folder);
    if (!running) {
      await requireSettings(folder); // an error only if no box is installed
      return { dir: folder.root, stopped: false };
    }
    await stopForGood(folder, running, output, options);
    return { dir: folder.root, stopped: true, pid: running.pid };
  });
}

/** Stops a running box so that its parent does not start another. The caller holds the lock. @throws Failure did_not_stop */
export async function stopForGood(
  folder: BoxFolder,
  running: RunningBox,
  output: Output,
  options: Omit<StopOptions, 'dir'> = {},
): Promise<void> {
  const waitOptions = { seconds: options.timeoutSeconds ?? (await readStopSeconds(folder)), force: options.force };
  // Without an empty launch queue the parent would restart a box that is killed.
  if (running.supervised) await writeLaunchQueue(folder, []);
  try {
    await stopBox(folder, running, output, waitOptions);
  } catch (error) {
    await removeLaunchQueue(folder);
    throw error;
  }
}
