/**
 * Running a box in the foreground, as its parent: for systemd, containers and the local stack.
 *
 * A box that crashes is started again: one that had answered at once, one that ended before it answered after a pause
 * that doubles. Only a box that never answered since this command began ends it, so that a wrong setting is told.
 *
 * An upgrade must not fight with such a parent over whose child the box is. So it leaves a list of what to run next
 * (`run/next.json`: the new release, then the old one in case the new one fails) and stops the box; the parent starts
 * the first of the list, and ends only when its box ends and nothing is left to run. A list that is there but empty says
 * that nothing is to run, however the box ends: `stop` leaves it.
 */
import type { ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Output } from '../output/output.ts';
import { writeAtomically } from './files.ts';
import { type BoxFolder, exists } from './folder.ts';
import { boxUrl, fetchHealthStatus } from './health.ts';
import { type Launch, launchBox } from './launch.ts';
import { findRunningBox, type RunningBox, removePidFile } from './running.ts';

/** How a process ended: its exit status, or the signal that ended it as shells tell it (128 + number). */
export type ExitStatus = number;

/** The first asks the box to stop, the second ends the time in which it drains. */
const maxTermSignals = 2;
const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 30_000;
const pollMilliseconds = 100;
const signalNumbers: Record<string, number> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** A box whose parent is this process. */
export interface SupervisedBox {
  /** The box that runs now; another one after an upgrade. */
  readonly box: RunningBox;
  /** Call when it was seen to answer elsewhere: from then on it is started again when it crashes. */
  markHealthy(): void;
  /** Asks the box to end, as a SIGTERM does; asked again, it drains no longer; a third time, it is killed. */
  stop(): void;
  /** Settles when the box has ended and nothing is to run next. */
  readonly ended: Promise<ExitStatus>;
}

/** Starts a box as a child of this process and keeps watch over it. */
export async function supervise(folder: BoxFolder, first: Launch, output: Output): Promise<SupervisedBox> {
  await removeLaunchQueue(folder);
  let launch = first;
  let current = await launchBox(folder, first, { supervised: true });
  let stops = 0;
  let hasBeenHealthy = false;
  let pause = firstPauseMilliseconds;

  const watchHealth = async (child: ChildProcess) => {
    while (statusOf(child) === undefined) {
      if ((await fetchHealthStatus(boxUrl(launch))) === 200 && statusOf(child) === undefined) {
        hasBeenHealthy = true;
        pause = firstPauseMilliseconds;
        return;
      }
      await sleep(pollMilliseconds, undefined, { ref: false });
    }
  };

  /** Waits for the pause to pass, unless there is something else to do. */
  const rest = async () => {
    const until = Date.now() + pause;
    pause = Math.min(pause * 2, longestPauseMilliseconds);
    while (stops === 0 && Date.now() < until && !(await exists(folder.launchQueue))) await sleep(pollMilliseconds);
  };

  /** What runs after the box that has just ended; undefined when nothing does. */
  const successor = async (status: ExitStatus): Promise<Launch | undefined> => {
    const next = stops === 0 ? await takeNextLaunch(folder) : 'nothing';
    if (next === 'nothing') return undefined;
    if (next) {
      output.info('replaced', `running release ${next.release} in place of ${launch.release}`, {
        release: next.release,
      });
      return next;
    }
    if (status === 0 || !hasBeenHealthy) return undefined;
    output.warn(`the box has ended (exit status ${status}) and is started again in ${pause} ms`, { status, pause });
    await rest();
    // Another command may have started it meanwhile, and two would fight over the port.
    if (stops > 0 || (await findRunningBox(folder))) return undefined;
    return (await exists(folder.launchQueue)) ? successor(status) : launch;
  };

  const watch = async (): Promise<ExitStatus> => {
    for (;;) {
      void watchHealth(current.child);
      const status = await exitOf(current.child);
      await removePidFile(folder, current.box);
      const next = await successor(status);
      if (!next) return status;
      launch = next;
      current = await launchBox(folder, next, { supervised: true });
    }
  };

  return {
    get box() {
      return current.box;
    },
    markHealthy() {
      hasBeenHealthy = true;
    },
    stop() {
      stops += 1;
      current.child.kill(stops <= maxTermSignals ? 'SIGTERM' : 'SIGKILL');
    },
    ended: watch(),
  };
}

/** Leaves the list of launches that the parent runs, one after the other, each time its box ends. */
export async function writeLaunchQueue(folder: BoxFolder, launches: Launch[]): Promise<void> {
  await writeAtomically(folder.launchQueue, JSON.stringify(launches), 0o600);
}

/** Takes the list away: from now on the end of the box is the end. */
export async function removeLaunchQueue(folder: BoxFolder): Promise<void> {
  await rm(folder.launchQueue, { force: true });
}

/** The first of the list, which is taken off it; `nothing` for an empty list, undefined when there is none. */
async function takeNextLaunch(folder: BoxFolder): Promise<Launch | 'nothing' | undefined> {
  const text = await readFile(folder.launchQueue, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [next = 'nothing', ...rest] = JSON.parse(text) as Launch[];
  if (rest.length > 0) await writeLaunchQueue(folder, rest);
  else await removeLaunchQueue(folder);
  return next;
}

function statusOf({ exitCode, signalCode }: ChildProcess): ExitStatus | undefined {
  return exitCode ?? (signalCode ? 128 + (signalNumbers[signalCode] ?? 0) : undefined);
}

function exitOf(child: ChildProcess): Promise<ExitStatus> {
  const already = statusOf(child);
  if (already !== undefined) return Promise.resolve(already);
  return new Promise((resolve) => child.once('exit', () => resolve(statusOf(child) ?? 1)));
}
