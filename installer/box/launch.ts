/**
 * Starting a box's process: its program, environment and output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { lockFileName, runAsNode } from '../vendor.ts';
import { type BoxFolder, releaseEntry, releaseFolder } from './folder.ts';
import { heapOptions } from './heap.ts';
import { identify } from './process-table.ts';
import { type RunningBox, writePidFile } from './running.ts';
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
const inheritedVariables = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LOG_LEVEL',
  'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]; // biome-ignore format: compact

const logLimitBytes = 20_000_000;

/** Returns the launch of an installed box. */
export function toLaunch(release: string, settings: BoxSettings, secrets: Partial<BoxSecrets>): Launch {
  return { release, host: settings.host, port: settings.port, secrets };
}

/** Returns the environment of a box. It excludes the licence key, which a running box does not need. */
export function boxEnvironment(folder: BoxFolder, launch: Launch): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {};
  for (const name of inheritedVariables) if (process.env[name]) environment[name] = process.env[name];
  const { LICENSE_KEY: _key, ...secrets } = launch.secrets;
  Object.assign(environment, secrets, {
    HOST: launch.host,
    PORT: String(launch.port),
    BOX_HOME: folder.root,
    BOX_PACKAGES: join(releaseFolder(folder, launch.release), lockFileName),
    // The last value of a repeated option counts: the operator's.
    NODE_OPTIONS: [heapOptions(), secrets.NODE_OPTIONS].filter(Boolean).join(' '),
  });
  if (isSea()) environment[runAsNode] = '1';
  return environment;
}

/**
 * Starts the process and writes its PID file. The process has a session of its own, so that neither a closed terminal
 * nor Ctrl-C reaches it.
 * @param options.supervised whether this process stays its parent and passes its output on; otherwise it goes to the log
 * @returns the child, the running box, and the offset in the log at which its output begins
 */
export async function launchBox(
  folder: BoxFolder,
  launch: Launch,
  options: { supervised: boolean },
): Promise<{ child: ChildProcess; box: RunningBox; logStart: number }> {
  await Promise.all([folder.logs, folder.run].map((path) => mkdir(path, { recursive: true })));
  const log = options.supervised ? undefined : await openLog(folder);
  const logStart = log ? (await log.stat()).size : 0;
  const output = log ? log.fd : 'inherit';
  const child = spawn(process.execPath, [releaseEntry(folder, launch.release)], {
    cwd: folder.root,
    env: boxEnvironment(folder, launch),
    detached: true,
    stdio: ['ignore', output, output],
  });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  await log?.close();
  const pid = child.pid as number;
  // A box that has exited already has no identity; `isAlive` is false for the empty one.
  const identity = (await identify(pid)) ?? '';
  const parent = options.supervised ? { pid: process.pid, identity: (await identify(process.pid)) ?? '' } : undefined;
  const { supervised } = options;
  const box = { pid, identity, release: launch.release, parent, supervised, orphaned: false };
  await writePidFile(folder, box);
  if (!options.supervised) child.unref();
  return { child, box, logStart };
}

/** Opens the log for appending. A long log is rotated first; one old log is kept. */
async function openLog(folder: BoxFolder) {
  const size = (await stat(folder.log).catch(() => undefined))?.size ?? 0;
  if (size > logLimitBytes) await rename(folder.log, `${folder.log}.1`);
  return open(folder.log, 'a', 0o640);
}
