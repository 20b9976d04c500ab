/**
 * Replacing the running box with another release or other settings, and rolling back if the new one does not become
 * healthy.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { boxUrl, waitUntilHealthy } from './health.ts';
import { type Launch, launchBox } from './launch.ts';
import { findRunningBox, type RunningBox } from './running.ts';
import { smokeCheck } from './smoke-check.ts';
import { stopBox } from './stopping.ts';
import { removeLaunchQueue, writeLaunchQueue } from './supervision.ts';

const successorTimeoutMilliseconds = 15_000;

/** Timeouts in seconds, and the signal that cancels the wait. */
export interface WaitOptions {
  healthSeconds: number;
  stopSeconds: number;
  signal?: AbortSignal;
  /** Whether the box must pass its smoke check too. */
  smokeCheck?: boolean;
}

/**
 * Starts a box and waits until it is healthy; stops it if it does not become healthy.
 * @throws Failure box_not_healthy, port_taken, interrupted
 */
export async function startBox(
  folder: BoxFolder,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  const { box, logStart } = await launchBox(folder, launch, { supervised: false });
  return waitOrStop(folder, box, launch, output, waitOptions, logStart);
}

/**
 * Stops the running box and starts the new launch, or the old one again if that fails.
 * @throws Failure of the new launch, with the fact `restored: true` if the old box is running again
 */
export async function replaceBox(
  folder: BoxFolder,
  old: RunningBox,
  launches: { old: Launch; new: Launch },
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  // The parent of a supervised box starts the next one: the new box, then the old one if the new one exits.
  if (old.supervised) await writeLaunchQueue(folder, [launches.new, launches.old]);
  try {
    await stopBox(folder, old, output, { seconds: waitOptions.stopSeconds });
    try {
      return await startSuccessor(folder, old, launches.new, output, waitOptions);
    } catch (error) {
      throw await rollBack(folder, old, launches.old, output, waitOptions, asFailure(error));
    }
  } finally {
    await removeLaunchQueue(folder);
  }
}

async function startSuccessor(
  folder: BoxFolder,
  previous: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  if (!previous.supervised) return startBox(folder, launch, output, waitOptions);
  const box = await waitForSuccessor(folder, launch.release);
  if (box) return waitOrStop(folder, box, launch, output, waitOptions);
  // Either the parent has exited, or the new box has exited and the parent has already started the next launch.
  const other = await findRunningBox(folder);
  if (other) {
    throw new Failure('box_not_healthy', 'the box exited during its start', 'See its output for the cause');
  }
  await removeLaunchQueue(folder);
  return startBox(folder, launch, output, waitOptions);
}

/** Waits until the parent has started the release. @returns undefined if it does not */
async function waitForSuccessor(folder: BoxFolder, release: string): Promise<RunningBox | undefined> {
  for (let waited = 0; waited < successorTimeoutMilliseconds; waited += 50) {
    const box = await findRunningBox(folder);
    if (box) return box.release === release ? box : undefined;
    await pause(50);
  }
  return undefined;
}

async function waitOrStop(
  folder: BoxFolder,
  box: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
  logStart?: number,
): Promise<RunningBox> {
  try {
    const { healthSeconds: seconds, signal } = waitOptions;
    await waitUntilHealthy(folder, box, boxUrl(launch), output, { seconds, logStart, signal });
    if (waitOptions.smokeCheck) await smokeCheck(launch, output, signal);
    return box;
  } catch (error) {
    await stopBox(folder, box, output, { seconds: waitOptions.stopSeconds, force: true });
    throw error;
  }
}

/** Starts the old box again. @returns the failure to throw, which says whether that succeeded */
async function rollBack(
  folder: BoxFolder,
  previous: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
  failure: Failure,
): Promise<Failure> {
  output.warn(`${failure.message}; rolling back to the previous box`);
  try {
    // Ctrl-C must not leave the operator without a box. The old box has served before, so its health is enough.
    const uninterruptible = { ...waitOptions, signal: undefined, smokeCheck: false };
    const box = await startSuccessor(folder, previous, launch, output, uninterruptible);
    const facts = { ...failure.facts, restored: true, runningRelease: box.release };
    const message = `${failure.message}; rolled back to the previous box, release ${box.release}`;
    const code = failure.code === 'box_not_healthy' ? 'taken_back' : failure.code;
    return new Failure(code, message, failure.advice, facts);
  } catch (error) {
    const second = asFailure(error);
    const message = `${failure.message}; the rollback failed, too: ${second.message}`;
    // A full disk stops both, and is what the operator can mend.
    const full = [failure, second].find(({ code }) => code === 'disk_full');
    const advice = full?.advice || failure.advice || second.advice;
    return new Failure(full?.code ?? 'box_not_healthy', message, advice, { ...failure.facts, restored: false });
  }
}
