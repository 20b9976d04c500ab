/**
 * Replacing the running box with another release or other settings, and rolling back if the new one does not become
 * healthy.
 */
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { startSupervisor } from './background.ts';
import { type Answer, openReplacement, type Replacement } from './control.ts';
import type { Launch } from './environment.ts';
import type { BoxFolder } from './folder.ts';
import { boxUrl, explainExit, privateUrl, waitUntilHealthy } from './health.ts';
import { removeLaunchQueue, writeLaunchQueue } from './launch-queue.ts';
import { identify, isAlive } from './process-table.ts';
import { findRunningBox, isInBackground, type RunningBox } from './running.ts';
import { smokeCheck } from './smoke-check.ts';
import { endPausedSupervisor, endRetired, stopForGood } from './stop-for-good.ts';
import { stopBox, waitForExit } from './stopping.ts';

const successorTimeoutMilliseconds = 15_000;
/** How long a supervisor that hangs is waited for. */
const reportMilliseconds = 10_000;

/** Timeouts in seconds, and the signal that cancels the wait. */
export interface WaitOptions {
  healthSeconds: number;
  stopSeconds: number;
  signal?: AbortSignal;
  /** Whether the box must pass its smoke check too. */
  smokeCheck?: boolean;
}

type SuccessorOptions = WaitOptions & { logStart: number | undefined };

/**
 * Starts a box in the background and waits until it is healthy; stops it if it does not become healthy.
 * @throws Failure box_not_healthy, port_taken, interrupted
 */
export async function startBox(
  folder: BoxFolder,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  await endPausedSupervisor(folder, output);
  const { child, logStart } = await startSupervisor(folder, launch);
  const pid = child.pid as number;
  // A box that exits before it is healthy ends its supervisor.
  const supervisor = { pid, identity: (await identify(pid)) ?? '' };
  try {
    await checkStarted(folder, supervisor, launch, output, waitOptions, logStart);
    const box = await findRunningBox(folder);
    if (box && (await reportHealthy(folder, box))) return box;
    throw new Failure('box_not_healthy', 'the box exited during its start', 'See its output for the cause');
  } catch (error) {
    const box = await findRunningBox(folder);
    if (box) await stopForGood(folder, box, output, { timeoutSeconds: waitOptions.stopSeconds, force: true });
    else if (await isAlive(supervisor)) {
      // It may be about to start the box.
      process.kill(pid, 'SIGTERM');
      await waitForExit(supervisor, waitOptions.stopSeconds, output);
    }
    throw error;
  }
}

/** Tells the supervisor of a box that the start has succeeded. @returns false if it has ended, with the box */
async function reportHealthy(folder: BoxFolder, box: RunningBox): Promise<boolean> {
  const session = await openReplacement(folder, box);
  session?.send({ request: 'healthy' });
  const answer = await Promise.race([session?.next(), pause(reportMilliseconds, undefined, { ref: false })]);
  session?.end();
  return answer !== undefined || (await isAlive(box));
}

/**
 * Replaces the running box with the new launch; without a gap, if both releases and its supervisor support that. If the
 * new one fails, the old one runs on, or is started again.
 * @throws Failure of the new launch, with the fact `restored: true` if the old box is running
 */
export async function replaceBox(
  folder: BoxFolder,
  old: RunningBox,
  launches: { old: Launch; new: Launch },
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  const replaced = await replaceWithoutGap(folder, old, launches.new, output, waitOptions);
  if (replaced) return replaced;
  const logStart = await endOfLog(folder, old);
  // Before the queue is written: that of a command that is interrupted meanwhile would stay until the box crashes.
  await endRetired(folder, old);
  // The parent of a supervised box starts the next one: the new box, then the old one if the new one exits.
  if (old.supervised) await writeLaunchQueue(folder, [launches.new, launches.old]);
  try {
    // It may have crashed meanwhile, and been started again.
    const present = (await findRunningBox(folder)) ?? old;
    await stopBox(folder, present, output, { seconds: waitOptions.stopSeconds });
    try {
      return await startSuccessor(folder, old, launches.new, output, { ...waitOptions, logStart });
    } catch (error) {
      throw await rollBack(folder, old, launches.old, output, { ...waitOptions, logStart }, asFailure(error));
    }
  } finally {
    await removeLaunchQueue(folder);
  }
}

/**
 * Has the supervisor start the new box beside the old one, checks it, and has it take the old one's place.
 * @returns undefined if that is not possible, and nothing has changed
 */
async function replaceWithoutGap(
  folder: BoxFolder,
  old: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox | undefined> {
  const replacement = await openReplacement(folder, old);
  if (!replacement) return undefined;
  const logStart = await endOfLog(folder, old);
  let started: RunningBox | undefined;
  try {
    replacement.send({ request: 'switch', launch });
    const answer = await expectAnswer(replacement);
    if (answer.answer === 'unsupported') {
      output.info('stopping', `the box is stopped for its replacement: ${answer.reason}`);
      return undefined;
    }
    if (answer.answer !== 'started') throw new Failure('box_not_healthy', 'the supervisor gave no valid answer');
    started = answer.box;
    const place = { url: privateUrl(answer.privatePath), besides: old.pid };
    await checkStarted(folder, started, launch, output, waitOptions, logStart, place);
    replacement.send({ request: 'serve' });
    await expectAnswer(replacement);
    return started;
  } catch (error) {
    replacement.end();
    // The supervisor stops it; the next attempt must not find it.
    if (started) await waitForExit(started, waitOptions.stopSeconds, output);
    const failure = asFailure(error);
    const code = failure.code === 'box_not_healthy' ? 'taken_back' : failure.code;
    const message = `${failure.message}; the previous box, release ${old.release}, has served all the time`;
    const facts = { ...failure.facts, restored: true, runningRelease: old.release };
    throw new Failure(code, message, failure.advice, facts);
  } finally {
    replacement.end();
  }
}

/** @throws Failure that the supervisor reports; box_not_healthy if it ends */
async function expectAnswer(replacement: Replacement): Promise<Answer> {
  const answer = await replacement.next();
  if (!answer)
    throw new Failure('box_not_healthy', 'the supervisor of the box has ended', 'See its output for the cause');
  if (answer.answer === 'failed') throw new Failure(answer.code, answer.reason, answer.advice);
  return answer;
}

/** Returns how long the log of a box in the background is; undefined for one in the foreground, which has none. */
export async function endOfLog(folder: BoxFolder, box: RunningBox): Promise<number | undefined> {
  if (!isInBackground(box)) return undefined;
  return (await stat(folder.log).catch(() => undefined))?.size ?? 0;
}

/**
 * Starts a box after a stopped one: in the supervisor of the latter, which takes it from the launch queue, if it has one.
 * @param options.logStart the end of the log before the supervisor could start it: it may exit before this is called
 */
export async function startSuccessor(
  folder: BoxFolder,
  previous: RunningBox,
  launch: Launch,
  output: Output,
  { logStart, ...waitOptions }: SuccessorOptions,
): Promise<RunningBox> {
  if (!previous.supervised) return startBox(folder, launch, output, waitOptions);
  const box = await waitForSuccessor(folder, launch.release);
  if (box) return waitOrStop(folder, box, launch, output, waitOptions, logStart);
  // Either the parent has exited, or the new box has exited and the parent has already started the next launch.
  const other = await findRunningBox(folder);
  if (other) throw await explainExit(folder, { logStart, release: launch.release });
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
    await checkStarted(folder, box, launch, output, waitOptions, logStart);
    return box;
  } catch (error) {
    await stopBox(folder, box, output, { seconds: waitOptions.stopSeconds, force: true });
    throw error;
  }
}

/** Waits until a box is healthy, and checks it further if that is asked for. @param place where; by default where it serves */
async function checkStarted(
  folder: BoxFolder,
  process: Pick<RunningBox, 'pid' | 'identity'> & { release?: string },
  launch: Launch,
  output: Output,
  { healthSeconds: seconds, signal, smokeCheck: isFurther }: WaitOptions,
  logStart: number | undefined,
  { url = boxUrl(launch), besides }: { url?: string; besides?: number } = {},
): Promise<void> {
  await waitUntilHealthy(folder, process, url, output, { seconds, logStart, besides, signal });
  if (isFurther) await smokeCheck(launch, output, signal, url);
}

/** Starts the old box again. @returns the failure to throw, which says whether that succeeded */
async function rollBack(
  folder: BoxFolder,
  previous: RunningBox,
  launch: Launch,
  output: Output,
  waitOptions: SuccessorOptions,
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
