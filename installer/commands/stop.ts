/**
 * `stop`: ends the box, requests under way first.
 */
import { boxFolder } from '../box/folder.ts';
import { withLock } from '../box/lock.ts';
import { findRunningBox } from '../box/running.ts';
import { requireSettings } from '../box/settings.ts';
import { readStopSeconds, stopBox } from '../box/stopping.ts';
import { removeLaunchQueue, writeLaunchQueue } from '../box/supervision.ts';
import type { Output } from '../output/output.ts';

/** Options of `stop`. */
export interface StopOptions {
  /** The box's folder. */
  dir: string;
  /** How long to wait, in seconds; 30 and DRAIN_SECONDS unless given. */
  timeoutSeconds?: number;
  /** Kill the box when it has not stopped in that time. */
  force?: boolean;
}

/** What stopping came to. */
export interface StopResult {
  dir: string;
  /** False when it was not running in the first place. */
  stopped: boolean;
  /** The process that ended. */
  pid?: number;
}

/** @throws Failure not_installed, busy, did_not_stop */
export async function stop(options: StopOptions, output: Output): Promise<StopResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'stop', async () => {
    const running = await findRunningBox(folder);
    if (!running) {
      await requireSettings(folder); // a folder without a box is a mistake, a box that does not run is not
      return { dir: folder.root, stopped: false };
    }
    const waitOptions = { seconds: options.timeoutSeconds ?? (await readStopSeconds(folder)), force: options.force };
    // A parent starts a box again that did not end by itself, as one that is killed does not.
    if (running.supervised) await writeLaunchQueue(folder, []);
    try {
      await stopBox(folder, running, output, waitOptions);
    } catch (error) {
      await removeLaunchQueue(folder);
      throw error;
    }
    return { dir: folder.root, stopped: true, pid: running.pid };
  });
}
