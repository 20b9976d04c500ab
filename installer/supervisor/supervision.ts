/**
 * Supervising a box, as its parent: in the foreground for systemd, containers and the local stack, and in the background
 * as a process of its own (box/background.ts).
 *
 * The supervisor holds the public socket of the box, which its processes inherit (box/public-socket.ts). It restarts a
 * box that crashes, with back-off until it is healthy again. If no box has been healthy since it began, it exits instead,
 * so that a wrong setting is reported. It kills a box that hangs (watchdog.ts). Of a box with several workers all this is
 * about the first, the leader; followers.ts has the others.
 *
 * A command replaces the box through the supervisor: without a gap through the control socket (box/control.ts,
 * replacement.ts), if both releases support that, and else through the launch queue (box/launch-queue.ts): it stops the
 * box, and the supervisor starts the next launch of the queue. It exits when there is none.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveControl } from '../box/control.ts';
import { type BoxFolder, exists, releaseEntry } from '../box/folder.ts';
import { boxUrl, privateUrl } from '../box/health.ts';
import { type BoxProcess, type Launch, launchBox, supportsHandover } from '../box/launch.ts';
import { removeLaunchQueue, takeNextLaunch } from '../box/launch-queue.ts';
import { identify } from '../box/process-table.ts';
import { bindPublicSocket, type PublicSocket } from '../box/public-socket.ts';
import { findRunningBox, type Parent, type RunningBox, removePidFile, writePidFile } from '../box/running.ts';
import type { Output } from '../output/output.ts';
import { type ExitStatus, exitOf, statusOf, terminated } from './exit-status.ts';
import { Followers } from './followers.ts';
import { acceptReplacement, endRetired, type Members } from './replacement.ts';
import { waitUntilHung } from './watchdog.ts';
import { workerCount } from './worker-count.ts';

export { removeLaunchQueue, writeLaunchQueue } from '../box/launch-queue.ts';
export type { ExitStatus } from './exit-status.ts';

/** The first makes the box drain, the second ends draining. */
const maxTermSignals = 2;
const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 30_000;
const pollMilliseconds = 100;

/** A box whose parent is this process. */
export interface SupervisedBox {
  /** The running box; after an upgrade, the new one. */
  readonly box: RunningBox;
  /** Call when the box was found healthy elsewhere, as commands do by the control socket: it is restarted after a crash. */
  markHealthy(): void;
  /** Sends SIGTERM; the second call ends draining, the third kills the box. */
  stop(): void;
  /** Resolves when the box has exited and nothing is to be started. */
  readonly ended: Promise<ExitStatus>;
}

export interface SupervisionOptions {
  /** After how long without a response a box is killed and restarted, in seconds; 0 for never. */
  watchdogSeconds: number;
  /** Whether this process runs in the background. */
  background?: boolean;
}

/**
 * Starts a box as a child of this process and supervises it.
 * @throws Failure port_taken, usage if the public socket cannot be opened
 */
export async function supervise(
  folder: BoxFolder,
  first: Launch,
  output: Output,
  options: SupervisionOptions,
): Promise<SupervisedBox> {
  await removeLaunchQueue(folder);
  await prepareRunFolder(folder);
  const identity = (await identify(process.pid)) ?? '';
  const parent: Parent = { pid: process.pid, identity, ...(options.background && { background: true }) };
  let stops = 0;
  let hasBeenHealthy = false;
  let pause = firstPauseMilliseconds;
  const markHealthy = () => {
    hasBeenHealthy = true;
  };
  let finish = (_status: ExitStatus) => {};
  const ended = new Promise<ExitStatus>((resolve) => {
    finish = resolve;
  });
  /** Changes of `members` happen one after another. */
  let changing: Promise<unknown> = Promise.resolve();
  const exclusively = <T>(change: () => Promise<T>): Promise<T> => {
    const changed = changing.then(change);
    changing = changed.catch(() => undefined);
    return changed;
  };

  /** Starts the box that serves: the first one, or one after an exit. */
  const start = async (launch: Launch) => {
    const before = members.current?.followers;
    const isSame = before?.launch === launch;
    if (!isSame) await before?.end();
    const socket = await socketFor(launch);
    const followers = isSame ? before : await followersOf(launch, socket);
    const process = await launchBox(folder, launch, parent, socket, followers?.leaderPlace);
    process.followers = followers;
    process.child.send?.('serve', () => undefined);
    await becomeCurrent(process);
    // The signal to stop may have arrived before it was launched.
    if (stops > 0) process.child.kill('SIGTERM');
    return process;
  };

  const followersOf = async (launch: Launch, socket: PublicSocket | undefined) => {
    const count = socket ? await workerCount(folder, launch) : 1;
    if (!socket || count === 1) return undefined;
    return new Followers({ folder, launch, parent, output, socket, count, watchdogSeconds: options.watchdogSeconds });
  };

  /** Returns the public socket for a launch; the one that is open, if it has the address. */
  const socketFor = async (launch: Launch): Promise<PublicSocket | undefined> => {
    const { socket } = members;
    const supported = await supportsHandover(folder, launch.release);
    if (socket && supported && socket.host === launch.host && socket.port === launch.port) return socket;
    socket?.close();
    members.socket = undefined;
    if (supported) members.socket = await bindPublicSocket(launch.host, launch.port);
    return members.socket;
  };

  const becomeCurrent = async (process: BoxProcess) => {
    members.current = process;
    await writePidFile(folder, process.box);
    // With the leader, all workers stop.
    process.child.on('message', (message) => message === 'stopping' && process.followers?.stopRestarts());
    void watchHealth(process);
    void exitOf(process.child).then((status) => onExit(process, status));
  };

  const watchHealth = async (process: BoxProcess) => {
    const url = process.privatePath ? privateUrl(process.privatePath) : boxUrl(process.launch);
    const isOver = () => statusOf(process.child) !== undefined || members.current !== process;
    const onHealthy = () => {
      markHealthy();
      pause = firstPauseMilliseconds;
      void process.followers?.start();
      return true;
    };
    if (!(await waitUntilHung(url, { seconds: options.watchdogSeconds, isOver, onHealthy }))) return;
    output.warn(`the box has not responded for ${options.watchdogSeconds} s; killing it`, {
      url: boxUrl(process.launch),
    });
    process.child.kill('SIGKILL');
  };

  /** Waits before a restart; ends early when the box is to stop or a launch queue appears. */
  const backOff = async (isOver: () => boolean) => {
    const until = Date.now() + pause;
    pause = Math.min(pause * 2, longestPauseMilliseconds);
    while (!isOver() && Date.now() < until && !(await exists(folder.launchQueue))) await sleep(pollMilliseconds);
  };

  /**
   * Returns the launch after a box that has exited; `nothing` if a command has stopped the box, undefined if nothing is to
   * be started for another reason.
   */
  const nextLaunch = async (exited: BoxProcess, status: ExitStatus): Promise<Launch | 'nothing' | undefined> => {
    const { launch } = exited;
    const isOver = () => stops > 0 || members.current !== exited;
    const next = stops === 0 ? await takeNextLaunch(folder, () => stops > 0) : undefined;
    if (next === 'nothing') return next;
    if (next) {
      output.info('replaced', `replacing release ${launch.release} with ${next.release}`, {
        release: next.release,
      });
      return next;
    }
    if (stops > 0 || status === 0 || !hasBeenHealthy) return undefined;
    if (!(await exists(releaseEntry(folder, launch.release)))) {
      output.warn(`the box exited with status ${status}, and its release ${launch.release} has been removed`);
      return undefined;
    }
    output.warn(`the box exited with status ${status}; restarting it in ${pause} ms`, { status, pause });
    await backOff(isOver);
    // If another command has started the box meanwhile, the port is in use.
    if (isOver() || (await findOther())) return undefined;
    return (await exists(folder.launchQueue)) ? nextLaunch(exited, status) : launch;
  };

  /** Finds a running box of another supervisor. */
  const findOther = async (): Promise<boolean> => {
    const running = await findRunningBox(folder);
    return running !== undefined && !members.isOurs(running.pid);
  };

  const onExit = async (exited: BoxProcess, status: ExitStatus): Promise<void> => {
    if (exited.privatePath) await rm(exited.privatePath, { force: true });
    await removePidFile(folder, exited.box);
    if (members.current !== exited) return;
    const next = await nextLaunch(exited, status);
    await exclusively(async () => {
      // A replacement may have been completed meanwhile.
      if (members.current !== exited) return;
      // What a command has stopped has not failed, whatever its status: a service manager would restart it.
      if (next === 'nothing') await end(0);
      else if (next) await start(next);
      // Nor has one that was stopped before it handled signals.
      else await end(stops > 0 && status === terminated ? 0 : status);
    }).catch(async (error: Error) => {
      output.warn(`the box cannot be started: ${error.message}`);
      await end(1);
    });
  };

  const end = async (status: ExitStatus) => {
    await members.current?.followers?.end();
    members.socket?.close();
    await endRetired(members, output);
    await closeControl();
    finish(status);
  };

  const members: Members = {
    current: undefined as unknown as BoxProcess,
    candidate: undefined,
    retired: new Set(),
    socket: undefined,
    isOurs: (pid) => {
      const all = [members.current, members.candidate, ...members.retired];
      return all.some((process) => process?.child.pid === pid);
    },
  };
  const closeControl = await serveControl(folder, (session) =>
    acceptReplacement(session, {
      folder,
      parent,
      output,
      members,
      exclusively,
      isStopping: () => stops > 0,
      markHealthy,
      followersOf,
      becomeCurrent: async (process) => {
        markHealthy();
        await becomeCurrent(process);
      },
    }),
  );
  try {
    await start(first);
  } catch (error) {
    await closeControl();
    throw error;
  }

  return {
    get box() {
      return members.current.box;
    },
    markHealthy,
    stop() {
      stops += 1;
      const signal = stops <= maxTermSignals ? 'SIGTERM' : 'SIGKILL';
      for (const process of [members.current, members.candidate]) process?.followers?.stopRestarts();
      if (stops === 1 && members.retired.size > 0) {
        // The present box stops the database, which those that were replaced still need.
        void endRetired(members, output).then(() => members.current.child.kill(signal));
        return;
      }
      for (const process of [members.current, members.candidate, ...members.retired]) process?.child.kill(signal);
      // The first signals reach the others through the leader.
      if (signal === 'SIGKILL') members.current.followers?.kill();
    },
    ended,
  };
}

/** Creates the folder of the sockets, and removes those of a supervisor that was killed. */
async function prepareRunFolder(folder: BoxFolder): Promise<void> {
  await mkdir(folder.run, { recursive: true });
  const sockets = (await readdir(folder.run)).filter((name) => name.endsWith('.sock'));
  for (const name of sockets) await rm(join(folder.run, name), { force: true });
}
