/**
 * Starting a box's process: its program, environment and output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import { lockFileName, runAsNode, vendor } from '../vendor.ts';
import { type BoxFolder, releaseEntry, releaseFolder } from './folder.ts';
import { heapOptions, memoryOfMachine } from './heap.ts';
import { identify } from './process-table.ts';
import type { PublicSocket } from './public-socket.ts';
import { type Parent, type RunningBox, workerWord } from './running.ts';
import type { BoxSecrets, BoxSettings } from './settings.ts';

/** The release to start and its settings. */
export interface Launch {
  release: string;
  host: string;
  port: number;
  secrets: Partial<BoxSecrets>;
}

/** Variables that the box inherits from the command. Everything else belongs in `box.env`, so that a box behaves the same
 * whether it is started by hand or by a service manager. */
export const inheritedVariables = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LOG_LEVEL',
  'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]; // biome-ignore format: compact

/** Names the path of the private socket of a box whose supervisor holds its public one (runtime/start/supervisor.ts). */
const privatePathVariable = 'SUPERVISOR_PRIVATE_PATH';
const workerVariable = 'SUPERVISOR_WORKER';
const workersPathVariable = 'SUPERVISOR_WORKERS_PATH';

/** Returns the launch of an installed box. */
export function toLaunch(release: string, settings: BoxSettings, secrets: Partial<BoxSecrets>): Launch {
  return { release, host: settings.host, port: settings.port, secrets };
}

/** Which of several workers a process is (runtime/start/supervisor.ts). */
export interface Place {
  /** From 1, the leader. */
  number: number;
  count: number;
  /** Path of the socket of the leader, from the box's folder. */
  path: string;
}

/** Returns the environment of a box. It excludes the licence key, which a running box does not need. */
export function boxEnvironment(folder: BoxFolder, launch: Launch, place?: Place): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const name of inheritedVariables) if (process.env[name]) environment[name] = process.env[name];
  const { LICENSE_KEY: _key, ...secrets } = launch.secrets;
  // Nor does it need the access to its backups.
  for (const name of Object.keys(secrets)) if (name.startsWith('BACKUP_S3_')) delete secrets[name];
  Object.assign(environment, secrets, {
    HOST: launch.host,
    PORT: String(launch.port),
    BOX_HOME: folder.root,
    BOX_PACKAGES: join(releaseFolder(folder, launch.release), lockFileName),
    // The last value of a repeated option counts: the operator's.
    NODE_OPTIONS: [heapOptions(memoryOfMachine() / (place?.count ?? 1)), secrets.NODE_OPTIONS]
      .filter(Boolean)
      .join(' '),
  });
  if (isSea()) environment[runAsNode] = '1';
  return environment;
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
  const environment = boxEnvironment(folder, launch, place);
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
