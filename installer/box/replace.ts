/**
 * Replacing the running box by one of another release or with other settings, and putting the old one back when the new
 * one does not become healthy.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { BoxFolder } from './folder.ts';
import { boxUrl, waitUntilHealthy } from './health.ts';
import { type Launch, launchBox } from './launch.ts';
import { findRunningBox, type RunningBox } from './running.ts';
import { stopBox } from './stopping.ts';
import { removeLaunchQueue, writeLaunchQueue } from './supervision.ts';

const successorTimeoutMilliseconds = 15_000;

/** How long things may take, in seconds, and what ends the wait. */
export interface WaitOptions {
  healthSeconds: number;
  stopSeconds: number;
  signal?: AbortSignal;
}

/**
 * Starts a box and waits until it is healthy; stops it again when it does not become so.
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
 * Stops the box that runs, starts another launch in its place, and goes back to the old launch when that fails.
 * @throws Failure of the new launch, its facts telling `restored: true` when the old box runs again
 */
export async function replaceBox(
  folder: BoxFolder,
  old: RunningBox,
  launches: { old: Launch; new: Launch },
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  // A supervised box's parent does the starting: first the new one, and the old one should the new one end.
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
  // Its parent is gone, or the new box ended at once and the parent has gone on to the next launch already.
  const other = await findRunningBox(folder);
  if (other) throw new Failure('box_not_healthy', 'the box ended while it was starting', 'Its output says why');
  await removeLaunchQueue(folder);
  return startBox(folder, launch, output, waitOptions);
}

/** Waits until the parent has started the wanted release. @returns undefined when it does not */
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
    return box;
  } catch (error) {
    await stopBox(folder, box, output, { seconds: waitOptions.stopSeconds, force: true });
    throw error;
  }
}

/** Runs the old box again. @returns the failure to end with, that says whether this worked */
async function rollBack(
  folder: BoxFolder,
  previous: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
  failure: Failure,
): Promise<Failure> {
  output.warn(`${failure.message}; starting the previous box again`);
  try {
    const uninterruptible = { ...waitOptions, signal: undefined }; // a second Ctrl-C must not leave the operator without a box
    const box = await startSuccessor(folder, previous, launch, output, uninterruptible);
    const facts = { ...failure.facts, restored: true, runningRelease: box.release };
    const message = `${failure.message}; the box runs as before, from release ${box.release}`;
    return new Failure(failure.code, message, failure.advice, facts);
  } catch (error) {
    const second = asFailure(error);
    const message = `${failure.message}; and the previous box did not start again: ${second.message}`;
    return new Failure('box_not_healthy', message, failure.advice || second.advice, {
      ...failure.facts,
      restored: false,
    });
  }
}
