/**
 * The PostgreSQL server process: finding one that runs, starting, waiting until it is ready, stopping.
 * A server is identified by its command line in /proc, never by a process number alone.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vendor } from '../../vendor.ts';
import type { Account } from './account.ts';
import { cleanEnvironment, spawnIdentity } from './account.ts';

/** A server process. `exited` resolves when it exits, with a few words on the reason. */
export interface Server {
  pid: number;
  exited: Promise<string>;
}

/** How a server is started. `data` is a path without symbolic links. */
export interface Plan {
  program: string;
  parameters: string[];
  data: string;
  socketFolder: string;
  logFile: string;
  account: Account;
  log: (line: string) => void;
}

/** The port in the socket's name; nothing listens on it. */
export const port = 5432;

/** The log is rotated at this size, in bytes, to one earlier file. */
const maxLogSize = 8 * 1024 * 1024;

/** Defaults for a small machine; the caller's settings override them. Durability stays at PostgreSQL's default: on. */
export function serverParameters(data: string, socketFolder: string, settings: Record<string, string>): string[] {
  const all: Record<string, string> = {
    listen_addresses: '',
    max_connections: '100',
    shared_buffers: '128MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The tables of a new tenant grow from nothing: until they are analysed, plans are made for empty tables.
    autovacuum_naptime: '5s',
    ...settings,
    // The caller cannot override the settings by which the server is found again.
    port: String(port),
    cluster_name: clusterName(data),
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
  };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Reads `postmaster.pid`; null when the file is missing or incomplete. */
export function readPostmaster(data: string): { pid: number; socketFolder: string; status: string } | null {
  const lines = (readOrNull(join(data, 'postmaster.pid')) ?? '').split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, socketFolder: lines[4] ?? '', status: lines[7] ?? '' } : null;
}

/** A name of fixed length for a path. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** Kills all processes of PostgreSQL in a folder, and waits until they have exited. */
export async function killAllIn(folder: string): Promise<void> {
  for (let left = await processesIn(folder); left.length > 0; left = await processesIn(folder)) {
    for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(20);
  }
}

/**
 * Starts the server, or takes over an orphaned one on the same data with the same program and settings (one with others
 * is stopped first). It may not be ready yet: see `untilReady`.
 * @throws the reason of the signal, if it is aborted, in place of starting one
 */
export async function startServer(plan: Plan, ending?: AbortSignal): Promise<Server> {
  for (let attempt = 0; ; attempt += 1) {
    const processes = await processesIn(plan.data);
    const postmaster = readPostmaster(plan.data);
    if (postmaster && processes.includes(postmaster.pid)) {
      if (hasSameCommand(postmaster.pid, plan) && postmaster.status !== 'stopping') {
        plan.log(`Taking over the orphaned PostgreSQL, process ${postmaster.pid}`);
        return { pid: postmaster.pid, exited: untilExited(postmaster.pid, plan.data) };
      }
      plan.log(`Stopping the orphaned PostgreSQL, process ${postmaster.pid}`);
      await stopServer(postmaster.pid, plan.data);
      continue;
    }
    if (processes.length === 0) {
      ending?.throwIfAborted();
      // The files are stale, but PostgreSQL would mistake any live process with their number for a server.
      if (postmaster && signal(postmaster.pid, 0)) await rm(join(plan.data, 'postmaster.pid'), { force: true });
      await rm(join(plan.socketFolder, `.s.PGSQL.${port}.lock`), { force: true });
      return spawnServer(plan);
    }
    // Sessions of a killed server exit by themselves when they notice; a new server must not start before that.
    if (attempt >= 100) await killAllIn(plan.data);
    else await sleep(50);
  }
}

/**
 * Waits until the server accepts connections, however long its recovery takes.
 * @throws Error with the last lines of its log when it exits before; the reason of the signal if it is aborted
 */
export async function untilReady(server: Server, plan: Plan, ending?: AbortSignal): Promise<void> {
  let exitReason: string | undefined;
  server.exited.then((reason) => {
    exitReason = reason;
  });
  for (let attempt = 1; ; attempt += 1) {
    if (exitReason !== undefined) {
      throw new Error(`PostgreSQL did not start: ${exitReason}. The end of ${plan.logFile}:\n${endOf(plan.logFile)}`);
    }
    const postmaster = readPostmaster(plan.data);
    if (postmaster?.pid === server.pid && postmaster.status === 'ready') return;
    ending?.throwIfAborted();
    if (attempt % 1000 === 0) plan.log('PostgreSQL is still starting: it may be recovering from a crash');
    await sleep(20);
  }
}

/**
 * Stops a server with a fast shutdown: sessions are disconnected and data is flushed. If that hangs it is killed, which
 * loses nothing either, since the next start recovers. Resolves when the process has exited.
 */
export async function stopServer(pid: number, data: string): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ];
  for (const [name, timeout] of steps) {
    if (!isPostgresIn(pid, data)) return;
    signal(pid, name);
    const deadline = Date.now() + timeout;
    while (isPostgresIn(pid, data) && Date.now() < deadline) await sleep(25);
  }
  if (!isPostgresIn(pid, data)) return;
  throw new Error(`PostgreSQL (process ${pid}) cannot be stopped.`);
}

/** Sends a signal (0 only checks whether the process exists). Returns false if it cannot be sent. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Rotates a log that is too long. The server continues to append to the same file. */
export function rotateLog(logFile: string): void {
  try {
    if (statSync(logFile).size <= maxLogSize) return;
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // No log yet, or no space for the copy: neither is a reason to stop.
  }
}

function spawnServer(plan: Plan): Promise<Server> {
  rotateLog(plan.logFile);
  const output = openSync(plan.logFile, 'a', 0o600);
  return new Promise((resolve, reject) => {
    const child = spawn(plan.program, plan.parameters, {
      ...spawnIdentity(plan.account),
      cwd: plan.data,
      env: cleanEnvironment,
      stdio: ['ignore', output, output],
      // Ctrl-C in a terminal reaches a whole process group; the box must stop its sessions before its database.
      detached: true,
    });
    closeSync(output);
    child.once('error', reject);
    const exited = new Promise<string>((resolveExit) => {
      child.once('exit', (code, name) => resolveExit(name ? `ended by ${name}` : `exited with status ${code}`));
    });
    child.once('spawn', () => resolve({ pid: child.pid as number, exited }));
    child.unref();
  });
}

/** Polls a server that is not a child of this process, which therefore receives no exit event. */
function untilExited(pid: number, data: string): Promise<string> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (isPostgresIn(pid, data)) return;
      clearInterval(timer);
      resolve('ended');
    }, 250);
    timer.unref();
  });
}

/** The numbers of the PostgreSQL processes in a folder that this process may signal. */
async function processesIn(folder: string): Promise<number[]> {
  const numbers = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return numbers.filter((pid) => isPostgresIn(pid, folder) && signal(pid, 0));
}

/**
 * True for a PostgreSQL process that uses the folder. A server and initdb have it in their command line; a session has
 * the cluster's name in its title. (In a container not even root can read another user's working folder.) A zombie has
 * no command line. PostgreSQL runs as the owner of its data only, so root signals no process of another user.
 */
export function isPostgresIn(pid: number, folder: string): boolean {
  const [title = '', ...parameters] = commandLine(pid);
  if (!title.startsWith(`postgres: ${clusterName(folder)}: `) && !parameters.includes(folder)) return false;
  // Another command, such as `ls`, may name the folder too.
  if (!['postgres', 'initdb'].includes((readOrNull(`/proc/${pid}/comm`) ?? '').trim())) return false;
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid;
  return owner === undefined || owner === userOf(pid);
}

function userOf(pid: number): number {
  return Number(/^Uid:\t(\d+)/m.exec(readOrNull(`/proc/${pid}/status`) ?? '')?.[1]);
}

function clusterName(data: string): string {
  return `${vendor.name}-${shortHash(data)}`;
}

function commandLine(pid: number): string[] {
  return (readOrNull(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
}

function hasSameCommand(pid: number, plan: Plan): boolean {
  return JSON.stringify(commandLine(pid)) === JSON.stringify([plan.program, ...plan.parameters]);
}

function endOf(file: string): string {
  return (readOrNull(file) ?? '').trim().slice(-1500);
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
