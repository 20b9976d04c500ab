/**
 * `stop`: stops the box after requests in flight have finished.
 */
import { stopOrphanedDatabase } from '../../backup/orphan.ts';
import { boxFolder } from '../../box/folder.ts';
import { withLock } from '../../box/lock.ts';
import { findRunningBox } from '../../box/running.ts';
import { requireSettings } from '../../box/settings.ts';
import { endPausedSupervisor, stopForGood } from '../../box/stop-for-good.ts';
import type { Output } from '../../output/output.ts';

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
  /** False if the box was not running, and was not going to be restarted after a crash. */
  stopped: boolean;
  /** The process that was stopped; absent if the box had crashed and its supervisor was stopped. */
  pid?: number;
  /** The PostgreSQL that was stopped, if a box that was killed had left it behind. */
  databasePid?: number;
}

/** @throws Failure not_installed, busy, did_not_stop */
export async function stop(options: StopOptions, output: Output): Promise<StopResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'stop', async () => {
    const running = await findRunningBox(folder);
    if (!running) {
      await requireSettings(folder); // an error only if no box is installed
      const stopped = await endPausedSupervisor(folder, output);
      const databasePid = await stopOrphanedDatabase(folder, output);
      return { dir: folder.root, stopped, ...(databasePid && { databasePid }) };
    }
    await stopForGood(folder, running, output, options);
    // A box that was started again after a crash may have been stopped before it had taken its PostgreSQL over.
    const databasePid = await stopOrphanedDatabase(folder, output);
    return { dir: folder.root, stopped: true, pid: running.pid, ...(databasePid && { databasePid }) };
  });
}
