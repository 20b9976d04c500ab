/**
 * Starting a box's process: its program, environment and output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { vendor } from '../vendor.ts';
import { boxEnvironment } from './declared-settings.ts';
import type { Launch } from './environment.ts';
import { type BoxFolder, releaseEntry } from './folder.ts';
import { identify } from './process-table.ts';
import type { PublicSocket } from './public-socket.ts';
import { type Parent, type RunningBox, workerWord } from './running.ts';
import type { BoxSecrets, BoxSettings } from './settings.ts';

/** Names the path of the private socket of a box whose supervisor holds its public one (runtime/start-service/supervisor.ts). */
const privatePathVariable = 'SUPERVISOR_PRIVATE_PATH';
const workerVariable = 'SUPERVISOR_WORKER';
const workersPathVariable = 'SUPERVISOR_WORKERS_PATH';

/** Returns the launch of an installed box. */
export function toLaunch(release: string, settings: BoxSettings, secrets: Partial<BoxSecrets>): Launch {
  return { release, host: settings.host, port: settings.port, secrets };
}

/** Which of several workers a process is (runtime/start-service/supervisor.ts). */
export interface Place {
  /** From 1, the leader. */
  number: number;
  count: number;
  /** Path of the socket of the leader, from the box's folder. */
  path: string;
}

/** Whether the program of a release can take the place of a running one: it listens on a socket that it inherits. */
export async function supportsHandover(folder: BoxFolder, release: string): Promise<boolean> {
  return (await readFeatures(folder, release)).handover === 1;
}

/** Whether several processes of a release can be one box. */
export async function supportsWorkers(folder: BoxFolder, release: string): Promise<boolean> {
  const { handover, workers } = await readFeatures(folder, release);
  return handover === 1 && workers === 1;
}

/** Reads what a release says about itself in its engine's package.json. */
async function readFeatures(folder: BoxFolder, release: string): Promise<{ handover?: number; workers?: number }> {
  const path = join(dirname(dirname(releaseEntry(folder, release))), 'package.json');
  const text = await readFile(path, 'utf8').catch(() => '{}');
  return (JSON.parse(text) as Record<string, { handover?: number; workers?: number } | undefined>)[vendor] ?? {};
}

/** A process of a box, as its supervisor sees it. */
export interface BoxProcess {
  child: ChildProcess;
  box: RunningBox;
  launch: Launch;
  /** Path of the Unix socket at which it can be checked; absent for a release that listens by itself. */
  privatePath?: string;
  /** The other workers, of a leader. */
  followers?: OtherWorkers | undefined;
}

/** The workers of a box besides the leader (supervisor/followers.ts). */
export interface OtherWorkers {
  readonly launch: Launch;
  /** The place of the leader. */
  readonly leaderPlace: Place;
  /** Starts them, unless they run. Resolves when each serves, or has failed to start for the first time. */
  start(): Promise<void>;
  /** From now on those that exit are not started again. */
  stopRestarts(): void;
  /** Gives up those that serve, for the caller to retire them, and ends the others. */
  release(): Promise<BoxProcess[]>;
  /** Ends all, and resolves when they have exited. */
  end(): Promise<void>;
  kill(): void;
}

/**
 * Starts the process. It has a session of its own, so that neither a closed terminal nor Ctrl-C reaches it. This process
 * stays its parent, and its output is that of this process.
 * @param socket the public socket, for a release that supports it
 * @param place which of several workers it is
 */
export async function launchBox(
  folder: BoxFolder,
  launch: Launch,
  parent: Parent,
  socket: PublicSocket | undefined,
  place?: Place,
): Promise<BoxProcess> {
  await Promise.all([folder.logs, folder.run].map((path) => mkdir(path, { recursive: true })));
  const environment = await boxEnvironment(folder, launch, place?.count);
  const name = `box-${randomBytes(4).toString('hex')}.sock`;
  // The working folder of the box is its own, so that this path is short.
  if (socket) environment[privatePathVariable] = join('run', name);
  if (place) {
    environment[workerVariable] = `${place.number}/${place.count}`;
    environment[workersPathVariable] = place.path;
  }
  const words = place && place.number > 1 ? [workerWord, String(place.number)] : [];
  const child = spawn(process.execPath, [releaseEntry(folder, launch.release), ...words], {
    cwd: folder.root,
    env: environment,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', ...(socket ? [socket.descriptor, 'ipc' as const] : [])],
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.on('error', () => undefined); // a message to a process that has exited; its exit is noticed
  const pid = child.pid as number;
  // A box that has exited already has no identity; `isAlive` is false for the empty one.
  const identity = (await identify(pid)) ?? '';
  const box = { pid, identity, release: launch.release, parent, supervised: true, orphaned: false };
  return { child, box, launch, ...(socket && { privatePath: join(folder.run, name) }) };
}
