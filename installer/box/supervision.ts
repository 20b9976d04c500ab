/**
 * Running a box in the foreground, as its parent: for systemd, containers and the local stack.
 *
 * The parent restarts a box that crashes, with back-off until it is healthy again. If no box has been healthy since this
 * command began, the parent exits instead, so that a wrong setting is reported. It kills a box that hangs (watchdog.ts).
 *
 * An upgrade must not start a second box beside the one of such a parent. It therefore writes a launch queue
 * (`run/next.json`: the new release, then the old one in case the new one fails) and stops the box. When its box exits,
 * the parent starts the next launch of the queue, and exits when there is none. An empty queue means that nothing is to be
 * started, whatever the exit status of the box: `stop` writes it.
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
import { waitUntilHung } from './watchdog.ts';

/** The exit status of a process; for one ended by a signal, 128 + the signal's number, as in shells. */
export type ExitStatus = number;

/** The first makes the box drain, the second ends draining. */
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
  /** The running box; after an upgrade, the new one. */
  readonly box: RunningBox;
  /** Call when the box was found healthy elsewhere: from then on it is restarted after a crash. */
  markHealthy(): void;
  /** Sends SIGTERM; the second call ends draining, the third kills the box. */
  stop(): void;
  /** Resolves when the box has exited and nothing is to be started. */
  readonly ended: Promise<ExitStatus>;
}

/**
 * Starts a box as a child of this process and supervises it.
 * @param options.watchdogSeconds after how long without a response a box is killed and restarted; 0 for never
 */
export async function supervise(
  folder: BoxFolder,
  first: Launch,
  output: Output,
  options: { watchdogSeconds: number },
): Promise<SupervisedBox> {
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
        return killIfHung(child);
      }
      await sleep(pollMilliseconds, undefined, { ref: false });
    }
  };

  const killIfHung = async (child: ChildProcess) => {
    const url = boxUrl(launch);
    const isOver = () => statusOf(child) !== undefined;
    if (!(await waitUntilHung(url, options.watchdogSeconds, isOver))) return;
    output.warn(`the box has not responded for ${options.watchdogSeconds} s; killing it`, { url });
    child.kill('SIGKILL');
  };

  /** Waits before a restart; ends early when the box is to stop or a launch queue appears. */
  const backOff = async () => {
    const until = Date.now() + pause;
    pause = Math.min(pause * 2, longestPauseMilliseconds);
    while (stops === 0 && Date.now() < until && !(await exists(folder.launchQueue))) await sleep(pollMilliseconds);
  };

  /** Returns the launch after a box that has exited, or undefined if nothing is to be started. */
  const nextLaunch = async (status: ExitStatus): Promise<Launch | undefined> => {
    const next = stops === 0 ? await takeNextLaunch(folder) : 'nothing';
    if (next === 'nothing') return undefined;
    if (next) {
      output.info('replaced', `replacing release ${launch.release} with ${next.release}`, {
        release: next.release,
      });
      return next;
    }
    if (status === 0 || !hasBeenHealthy) return undefined;
    output.warn(`the box exited with status ${status}; restarting it in ${pause} ms`, { status, pause });
    await backOff();
    // If another command has started the box meanwhile, the port is in use.
    if (stops > 0 || (await findRunningBox(folder))) return undefined;
    return (await exists(folder.launchQueue)) ? nextLaunch(status) : launch;
  };

  const watch = async (): Promise<ExitStatus> => {
    for (;;) {
      void watchHealth(current.child);
      const status = await exitOf(current.child);
      await removePidFile(folder, current.box);
      const next = await nextLaunch(status);
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

/** Writes the launch queue: the parent starts the next launch each time its box exits. */
export async function writeLaunchQueue(folder: BoxFolder, launches: Launch[]): Promise<void> {
  await writeAtomically(folder.launchQueue, JSON.stringify(launches), 0o600);
}

/** Removes the launch queue. */
export async function removeLaunchQueue(folder: BoxFolder): Promise<void> {
  await rm(folder.launchQueue, { force: true });
}

/** Removes the first launch from the queue and returns it; `nothing` for an empty queue, undefined if there is none. */
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
