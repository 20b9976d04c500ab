/**
 * The PostgreSQL server process: found when it already runs, started, waited for, stopped.
 * A server is known by its command line, as the kernel gives it, never by a process number alone.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, copyFileSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vendor } from '../../vendor.ts';
import type { Account } from './account.ts';
import { cleanEnvironment, identity } from './account.ts';

/** A server process. `gone` resolves, with a few words on how it ended, when it is no more. */
export interface Server {
  pid: number;
  gone: Promise<string>;
}

/** How a server is started. `data` has no symbolic link in it. */
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

/** The log is cut at this size, in bytes, with one earlier part kept beside it. */
const longestLog = 8 * 1024 * 1024;

/** What suits a shop on a small machine; the caller's settings come after and win. Durability stays as it comes: on. */
export function serverParameters(data: string, socketFolder: string, settings: Record<string, string>): string[] {
  const all: Record<string, string> = {
    listen_addresses: '',
    max_connections: '100',
    shared_buffers: '128MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // A new shop's tables grow from nothing: until they have been looked at, plans are made for empty ones.
    autovacuum_naptime: '5s',
    ...settings,
    // What finds the server again is not the caller's to choose.
    port: String(port),
    cluster_name: clusterName(data),
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
  };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** What a server writes of itself into its data folder; null when there is no such file, or not all of it yet. */
export function readPostmaster(data: string): { pid: number; socketFolder: string; status: string } | null {
  const lines = (readOrNull(join(data, 'postmaster.pid')) ?? '').split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, socketFolder: lines[4] ?? '', status: lines[7] ?? '' } : null;
}

/** A name of fixed length for a path. */
export function shortHash(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

/** Kills all processes of PostgreSQL that work in a folder, and waits until they are gone. */
export async function killAllIn(folder: string): Promise<void> {
  for (let left = await processesIn(folder); left.length > 0; left = await processesIn(folder)) {
    for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(20);
  }
}

/**
 * Starts the server, or takes over one that an earlier process left running on the same data with the same program
 * and settings (any other is stopped first). It need not be ready yet: see `untilReady`.
 */
export async function startServer(plan: Plan): Promise<Server> {
  for (let look = 0; ; look += 1) {
    const holders = await processesIn(plan.data);
    const postmaster = readPostmaster(plan.data);
    if (postmaster && holders.includes(postmaster.pid)) {
      if (sameCommand(postmaster.pid, plan) && postmaster.status !== 'stopping') {
        plan.log(`Taking over the PostgreSQL left running as process ${postmaster.pid}`);
        return { pid: postmaster.pid, gone: untilGone(postmaster.pid, plan.data) };
      }
      plan.log(`Stopping the PostgreSQL left running as process ${postmaster.pid}`);
      await stopServer(postmaster.pid, plan.data);
      continue;
    }
    if (holders.length === 0) {
      // PostgreSQL would take any live process with the number in these files for a server; but there is none.
      if (postmaster && signal(postmaster.pid, 0)) await rm(join(plan.data, 'postmaster.pid'), { force: true });
      await rm(join(plan.socketFolder, `.s.PGSQL.${port}.lock`), { force: true });
      return spawnServer(plan);
    }
    // Sessions whose server was killed end by themselves when they notice; a new server must not come before.
    if (look >= 100) await killAllIn(plan.data);
    else await sleep(50);
  }
}

/**
 * Waits until the server takes connections, however long it needs to recover.
 * @throws when it ends before, with the last lines of its log
 */
export async function untilReady(server: Server, plan: Plan): Promise<void> {
  let ended: string | undefined;
  server.gone.then((reason) => {
    ended = reason;
  });
  for (let look = 1; ; look += 1) {
    if (ended !== undefined) {
      throw new Error(`PostgreSQL did not start: ${ended}. The end of ${plan.logFile}:\n${endOf(plan.logFile)}`);
    }
    const postmaster = readPostmaster(plan.data);
    if (postmaster?.pid === server.pid && postmaster.status === 'ready') return;
    if (look % 1000 === 0) plan.log('PostgreSQL is still starting: it may be recovering from a crash');
    await sleep(20);
  }
}

/**
 * Stops a server: sessions are cut and everything is written out. One that hangs is made to stop at once, which loses
 * nothing either (the next start recovers). Resolves when the process is gone.
 */
export async function stopServer(pid: number, data: string): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 30_000],
    ['SIGQUIT', 10_000],
    ['SIGKILL', 10_000],
  ];
  for (const [name, patience] of steps) {
    if (!worksIn(pid, data)) return;
    signal(pid, name);
    const deadline = Date.now() + patience;
    while (worksIn(pid, data) && Date.now() < deadline) await sleep(25);
  }
  if (!worksIn(pid, data)) return;
  throw new Error(`PostgreSQL (process ${pid}) cannot be stopped.`);
}

/** Sends a signal (0 only asks whether the process exists). Answers whether it could be sent. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Moves a log that has grown long aside. The server goes on writing to the same file, which it appends to. */
export function shortenLog(logFile: string): void {
  try {
    if (statSync(logFile).size <= longestLog) return;
    copyFileSync(logFile, `${logFile}.1`);
    truncateSync(logFile);
  } catch {
    // No log yet, or no room for the copy: the log is no reason to stop.
  }
}

function spawnServer(plan: Plan): Promise<Server> {
  shortenLog(plan.logFile);
  const output = openSync(plan.logFile, 'a', 0o600);
  return new Promise((resolve, reject) => {
    const child = spawn(plan.program, plan.parameters, {
      ...identity(plan.account),
      cwd: plan.data,
      env: cleanEnvironment,
      stdio: ['ignore', output, output],
      // Ctrl-C in a terminal reaches a whole process group; the box must stop its sessions before its database.
      detached: true,
    });
    closeSync(output);
    child.once('error', reject);
    const gone = new Promise<string>((ended) => {
      child.once('exit', (code, name) => ended(name ? `ended by ${name}` : `exited with status ${code}`));
    });
    child.once('spawn', () => resolve({ pid: child.pid as number, gone }));
    child.unref();
  });
}

/** For a server that is not our child, which therefore cannot tell us of its end. */
function untilGone(pid: number, data: string): Promise<string> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (worksIn(pid, data)) return;
      clearInterval(timer);
      resolve('ended');
    }, 250);
    timer.unref();
  });
}

/** The processes of PostgreSQL that work in a folder and that this process may end, by number. */
async function processesIn(folder: string): Promise<number[]> {
  const numbers = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return numbers.filter((pid) => worksIn(pid, folder) && signal(pid, 0));
}

/**
 * Whether a process is one of PostgreSQL's for the folder. A server and initdb have it in their command line; a session
 * has the cluster's name in its title. (In a container even root cannot ask for another user's working folder.)
 * A process that has ended, though not yet been waited for, has no command line.
 */
function worksIn(pid: number, folder: string): boolean {
  const [title = '', ...parameters] = commandLine(pid);
  if (!title.startsWith(`postgres: ${clusterName(folder)}: `) && !parameters.includes(folder)) return false;
  // A person's command may name the folder too.
  return ['postgres', 'initdb'].includes((readOrNull(`/proc/${pid}/comm`) ?? '').trim());
}

function clusterName(data: string): string {
  return `${vendor.name}-${shortHash(data)}`;
}

function commandLine(pid: number): string[] {
  return (readOrNull(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
}

function sameCommand(pid: number, plan: Plan): boolean {
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
