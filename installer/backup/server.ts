/**
 * A PostgreSQL server of this command's own, on data that no box uses: it recovers a backup, answers a few queries and
 * stops. Nothing but this process can connect to it.
 */
import { spawn } from 'node:child_process';
import { chown, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { processIds } from '../box/process-table.ts';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { cleanEnvironment, type DatabaseAccount, identityOf } from './account.ts';
import { findServer, isServerOn, socketOptions, withConnection } from './home.ts';

export interface ServerPlan {
  /** Path of the program `postgres`. */
  program: string;
  account: DatabaseAccount;
  /** The data folder, without links in its path, and the file with the password of its owner. */
  data: string;
  password: string;
  /** Settings of postgresql.conf besides those of every such server. */
  settings?: Record<string, string>;
  signal?: AbortSignal | undefined;
  output: Output;
}

const stopMilliseconds = 60_000;

/**
 * Starts a server, waits until it has recovered, runs the work, and stops it with all data on disk.
 * @throws Failure integrity_failed with the end of its log if it does not start; interrupted
 */
export async function withServer<T>(plan: ServerPlan, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const socketFolder = await mkdtemp(join(tmpdir().length > 60 ? '/tmp' : tmpdir(), 'pg-'));
  if (plan.account.borrowed) await chown(socketFolder, plan.account.uid, plan.account.gid);
  const logFile = join(socketFolder, 'log');
  const log = await open(logFile, 'a', 0o600);
  const child = spawn(plan.program, parametersOf(plan, socketFolder), {
    ...identityOf(plan.account),
    cwd: plan.data,
    env: cleanEnvironment,
    stdio: ['ignore', log.fd, log.fd],
    // Ctrl-C reaches this command, which stops the server.
    detached: true,
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, name) => resolve(name ? `ended by ${name}` : `status ${code}`));
  });
  await log.close();
  try {
    await untilReady(plan, exited, logFile);
    const result = await withConnection(await socketOptions(socketFolder, plan.password), work);
    child.kill('SIGINT'); // a fast shutdown, with a checkpoint
    const ended = await Promise.race([exited, sleep(stopMilliseconds, 'no end', { ref: false })]);
    if (ended === 'status 0') return result;
    throw new Failure('unexpected', `PostgreSQL did not stop: ${ended}. ${await endOf(logFile)}`, 'Try again');
  } finally {
    child.kill('SIGKILL');
    await exited;
    await killServersOn(plan.data);
    await rm(socketFolder, { recursive: true, force: true });
  }
}

/** Kills the processes of servers whose command line names a data folder: one may have outlived a killed command. */
export async function killServersOn(data: string): Promise<void> {
  for (let left = serversOn(data); left.length > 0; left = serversOn(data)) {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has exited.
      }
    }
    await sleep(20);
  }
}

function serversOn(data: string): number[] {
  return processIds().filter((pid) => isServerOn(pid, data));
}

function parametersOf({ data, settings = {} }: ServerPlan, socketFolder: string): string[] {
  const all: Record<string, string> = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    shared_buffers: '64MB',
    // It serves nobody during the recovery, so it need not be as large as the server of the backup.
    hot_standby: 'off',
    // What happens here belongs in no archive, and nothing here works on the data besides recovery.
    archive_mode: 'off',
    autovacuum: 'off',
    log_checkpoints: 'off',
    timezone: 'UTC',
    ...settings,
  };
  return ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

async function untilReady(plan: ServerPlan, exited: Promise<string>, logFile: string): Promise<void> {
  let reason: string | undefined;
  exited.then((text) => {
    reason = text;
  });
  const began = Date.now();
  for (;;) {
    if (plan.signal?.aborted) throw interrupted();
    if (reason !== undefined) {
      const end = await endOf(logFile);
      if (/No space left on device|Disk quota exceeded/.test(end)) {
        throw new Failure('disk_full', 'the disk is full', 'Free some space, then run the command again');
      }
      throw new Failure(
        'integrity_failed',
        `PostgreSQL could not recover the data (${reason}): ${end}`,
        'Use another backup',
      );
    }
    if ((await findServer(plan.data))?.status === 'ready') return;
    plan.output.waiting('recovering the database', (Date.now() - began) / 1000);
    await sleep(25);
  }
}

async function endOf(logFile: string): Promise<string> {
  return (await readFile(logFile, 'utf8').catch(() => '')).trim().slice(-1500);
}
