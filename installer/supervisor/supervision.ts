/**
 * Supervising a box, as its parent: in the foreground for systemd, containers and the local stack, and in the background
 * as a process of its own (box/background.ts). What follows from what is in one table (transitions.ts); supervisor.ts
 * reports the events to it and has the effects done.
 *
 * The supervisor holds the public socket of the box, which its processes inherit (box/public-socket.ts). It restarts a
 * box that crashes, with back-off until it is healthy again, also if a start fails meanwhile. If no box has been healthy
 * since it began, it exits instead, so that a wrong setting is reported. It kills a box that hangs (watchdog.ts). Of a box
 * with several workers all this is about the first, the leader; followers.ts has the others.
 *
 * A command replaces the box through the supervisor: without a gap through the control socket (box/control.ts,
 * replacement.ts), if both releases support that, and else through the launch queue (box/launch-queue.ts): it stops the
 * box, and the supervisor starts the next launch of the queue. It exits when there is none.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Launch } from '../box/environment.ts';
import type { BoxFolder } from '../box/folder.ts';
import { removeLaunchQueue } from '../box/launch-queue.ts';
import { removeLeftovers } from '../box/leftovers.ts';
import { identify } from '../box/process-table.ts';
import type { Parent, RunningBox } from '../box/running.ts';
import type { Output } from '../output/output.ts';
import type { ExitStatus } from './exit-status.ts';
import { Members } from './members.ts';
import { unlessRepeated } from './repeated-signal.ts';
import { Supervisor } from './supervisor.ts';

/** A box whose parent is this process. */
export interface SupervisedBox {
  /** The running box; after an upgrade, the new one. */
  readonly box: RunningBox;
  /** Call when the box was found healthy elsewhere, as commands do by the control socket: it is restarted after a crash. */
  markHealthy(): void;
  /** Sends SIGTERM; the second call ends draining, the third kills the box. Within a second it counts once. */
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
  { watchdogSeconds, background }: SupervisionOptions,
): Promise<SupervisedBox> {
  await removeLaunchQueue(folder);
  await removeLeftovers(folder);
  await prepareRunFolder(folder);
  const identity = (await identify(process.pid)) ?? '';
  const parent: Parent = { pid: process.pid, identity, ...(background && { background: true }) };
  const members = new Members(output);
  const supervisor = new Supervisor({ folder, parent, output, watchdogSeconds, members });
  await supervisor.begin(first);
  return {
    get box() {
      return members.current.box;
    },
    markHealthy: () => supervisor.report({ name: 'foundHealthy' }),
    stop: unlessRepeated(() => supervisor.report({ name: 'stop' })),
    ended: supervisor.ended,
  };
}

/** Creates the folder of the sockets, and removes those of a supervisor that was killed. */
async function prepareRunFolder(folder: BoxFolder): Promise<void> {
  await mkdir(folder.run, { recursive: true });
  const sockets = (await readdir(folder.run)).filter((name) => name.endsWith('.sock'));
  for (const name of sockets) await rm(join(folder.run, name), { force: true });
}
