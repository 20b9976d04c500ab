/**
 * Starting a box's process: which program, which environment, where its output goes.
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

/** One start of a box: a release and what it is set to. */
export interface Launch {
  release: string;
  host: string;
  port: number;
  secrets: Partial<BoxSecrets>;
}

/** What the box takes from the environment of whoever starts it. Anything else belongs into `box.env`, so that a box
 * started by hand and one started by the system behave alike. */
const inheritedVariables = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'LOG_LEVEL',
  'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR',
]; // biome-ignore format: one look is enough

const logLimitBytes = 20_000_000;

/** The launch of an installed box. */
export function toLaunch(release: string, settings: BoxSettings, secrets: Partial<BoxSecrets>): Launch {
  return { release, host: settings.host, port: settings.port, secrets };
}

/** The environment a box is given. The licence key stays out: a running box has no use for it. */
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
 * Starts the process, in a session of its own so that a closed terminal or its Ctrl-C does not reach it, and records it.
 * @param options.supervised its parent stays and passes its output on; otherwise output goes to the log
 * @returns the child, the record, and the log's length at the start (where its own output begins)
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
  // A box that ended within this instant has no identity; the empty one is never alive, which is the truth.
  const identity = (await identify(pid)) ?? '';
  const parent = options.supervised ? { pid: process.pid, identity: (await identify(process.pid)) ?? '' } : undefined;
  const { supervised } = options;
  const box = { pid, identity, release: launch.release, parent, supervised, orphaned: false };
  await writePidFile(folder, box);
  if (!options.supervised) child.unref();
  return { child, box, logStart };
}

/** Opens the log to append to; a long one is put aside first, so that two files at most are kept. */
async function openLog(folder: BoxFolder) {
  const size = (await stat(folder.log).catch(() => undefined))?.size ?? 0;
  if (size > logLimitBytes) await rename(folder.log, `${folder.log}.1`);
  return open(folder.log, 'a', 0o640);
}
