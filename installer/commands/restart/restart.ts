/**
 * `restart`: has the supervisor of the box replace it by one with the settings on disk. A box without a supervisor, or of
 * a release that does not support this, is stopped after its requests in flight, and started again.
 */
import { boxFolder } from '../../box/folder.ts';
import { withLock } from '../../box/lock.ts';
import { replaceBox, startBox } from '../../box/replace.ts';
import { findRunningBox } from '../../box/running.ts';
import { readStopSeconds } from '../../box/stopping.ts';
import type { Output } from '../../output/output.ts';
import { resumeUpgrade } from '../../upgrade/restore.ts';
import { describe, readyToLaunch, type StartOptions, type StartResult, start } from '../start/start.ts';
import { stop } from '../stop/stop.ts';
import { warnOfIgnored } from '../support/risks.ts';

/** @throws Failure like `stop` and `start`; if the box does not stop, it is not started */
export async function restart(options: StartOptions, output: Output): Promise<StartResult> {
  const folder = boxFolder(options.dir);
  if ((await findRunningBox(folder))?.supervised) return restartSupervised(options, output);
  const { stopped, pid } = await stop({ dir: options.dir }, output);
  if (stopped) output.info('stopped', `the box (process ${pid}) has stopped`, { pid });
  return start(options, output);
}

async function restartSupervised(options: StartOptions, output: Output): Promise<StartResult> {
  const folder = boxFolder(options.dir);
  return withLock(folder.root, 'restart', async () => {
    await resumeUpgrade(folder, output);
    const launch = await readyToLaunch(folder);
    await warnOfIgnored(folder, launch, output);
    const running = await findRunningBox(folder);
    const { healthSeconds = 120, signal } = options;
    const waits = { healthSeconds, stopSeconds: await readStopSeconds(folder), signal };
    // Where a new start fails, the parent tries again with the same settings, and goes on trying.
    const box = running
      ? await replaceBox(folder, running, { old: launch, new: launch }, output, waits)
      : await startBox(folder, launch, output, waits);
    return describe(folder, launch, box, false);
  });
}
