/**
 * The database of a box that has no DATABASE_URL: real PostgreSQL as a child process, on a unix socket only, durable,
 * with its data in the box's folder. One process owns the server and keeps it running; others may join it.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, realpath, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { vendor } from '../vendor.ts';
import { chooseAccount, cleanEnvironment } from './embedded/account.ts';
import { findBinariesPackage, prepareBinaries, removeOldBinaries } from './embedded/binaries.ts';
import {
  ensureCluster,
  ensureHome,
  ensurePassword,
  ensureSocketFolder,
  readLocation,
  readPassword,
} from './embedded/cluster.ts';
import type { Plan, Server } from './embedded/server.ts';
import {
  port,
  readPostmaster,
  serverParameters,
  shortenLog,
  signal,
  startServer,
  stopServer,
  untilReady,
} from './embedded/server.ts';

/**
 * A running PostgreSQL. `url` is a postgres:// URL of the vendor's database with a superuser, for `pg`, knex and psql.
 * `owned` says that this process runs the server; `stop` of one that only joined leaves it running.
 */
export interface EmbeddedPostgres {
  url: string;
  owned: boolean;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The folder that holds `data`; created when missing. */
  directory: string;
  /** Settings of postgresql.conf over those chosen here. */
  settings?: Record<string, string>;
  /** Takes one line for each thing an operator may want to know. */
  log?: (line: string) => void;
}

/** How long to wait, in milliseconds, for another process that is starting the server. */
const patience = 300_000;

/** Milliseconds until a server that ended is started again; doubled while it does not start. */
const shortestDelay = 250;

/**
 * Starts PostgreSQL on a folder, or takes over the one that a killed process left running there, or joins the one that
 * another live process runs.
 * @throws Error that says what to do: no binaries, no user to run as, disk full, folder not writable, other version
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const directory = await openDirectory(options.directory);
    const deadline = Date.now() + patience;
    for (;;) {
      const unlock = await takeLock(directory);
      if (unlock) return await own(directory, options, unlock);
      const url = await joinRunning(directory);
      if (url) return { url, owned: false, stop: async () => {} };
      if (Date.now() > deadline) {
        throw new Error(`Another process holds ${directory}, but its PostgreSQL does not answer: stop that process.`);
      }
      await sleep(100);
    }
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, options.directory);
  }
}

/** Starts the server as its owner: all that follows happens under the lock of the directory. */
async function own(directory: string, options: EmbeddedPostgresOptions, unlock: () => void): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  const locks = [unlock];
  const release = () => {
    for (const free of locks.splice(0)) free();
  };
  let stopServing = async () => {};
  try {
    const account = await chooseAccount(join((await readLocation(directory)) ?? directory, 'data'));
    const home = await ensureHome(directory, account, log);
    if (home !== directory) {
      // A copy of the directory names the same place; one server cannot have two owners.
      const lock = await takeLock(home);
      if (!lock) throw new Error(`The data in ${home} is in use by another folder whose file "location" names it.`);
      locks.push(lock);
    }
    const binaries = await prepareBinaries(findBinariesPackage(), home, account, log);
    await ensureCluster(home, binaries, account, log);
    const data = await realpath(join(home, 'data'));
    const left = readPostmaster(data);
    // A lost password can only be set anew while nothing runs.
    if (left && (await readPassword(home)) === null) await stopServer(left.pid, data);
    const password = await ensurePassword(home, binaries, account);
    const socketFolder = await ensureSocketFolder(home, account);

    const parameters = serverParameters(data, socketFolder, options.settings ?? {});
    const logFile = join(home, 'postgresql.log');
    const plan = { program: binaries.postgres, parameters, data, socketFolder, logFile, account, log };
    const stopServerForGood = await keepRunning(plan);
    stopServing = async () => {
      await stopServerForGood();
      if (socketFolder !== join(home, 'socket')) await rmdir(socketFolder).catch(() => {});
    };
    await removeOldBinaries(home, binaries);
    await ensureDatabase(connectionUrl('postgres', password, socketFolder));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= stopServing().finally(release);
      return stopped;
    };
    return { url: connectionUrl(vendor.name, password, socketFolder), owned: true, stop };
  } catch (error) {
    await stopServing().catch(() => {});
    release();
    throw error;
  }
}

/** The URL of a server that another process runs, once it takes connections; null until then. */
async function joinRunning(directory: string): Promise<string | null> {
  const home = (await readLocation(directory)) ?? directory;
  const password = await readPassword(home);
  const postmaster = readPostmaster(join(home, 'data'));
  if (!password || postmaster?.status !== 'ready') return null;
  const url = connectionUrl(vendor.name, password, postmaster.socketFolder);
  return withClient(url, async () => url).catch(() => null);
}

/** Keeps the server running until the function it resolves to is called, which stops it. */
async function keepRunning(plan: Plan): Promise<() => Promise<void>> {
  let server: Server = await startServer(plan);
  // A process that ends without stopping the server asks it to stop; one that is killed leaves it to be taken over.
  const onExit = () => signal(server.pid, 'SIGINT');
  process.once('exit', onExit);
  const logTimer = setInterval(() => shortenLog(plan.logFile), 60_000).unref();
  const release = () => {
    clearInterval(logTimer);
    process.off('exit', onExit);
  };
  await untilReady(server, plan).catch((error) => {
    release();
    throw error;
  });

  const stopping = new AbortController();
  const asked = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  const watch = async () => {
    // A server that served is started again at once; one that does not even start, ever more slowly.
    let delay = shortestDelay;
    while (!stopping.signal.aborted) {
      const reason = await Promise.race([server.gone, asked]);
      if (stopping.signal.aborted) return;
      plan.log(`PostgreSQL ${reason}; starting it again in ${delay} ms`);
      await sleep(delay, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      if (stopping.signal.aborted) return;
      delay = Math.min(delay * 2, 30_000);
      try {
        server = await startServer(plan);
        if (stopping.signal.aborted) return await stopServer(server.pid, plan.data);
        await untilReady(server, plan);
        delay = shortestDelay;
        plan.log('PostgreSQL serves again');
      } catch (error) {
        plan.log((error as Error).message);
      }
    }
  };
  const watching = watch();

  return async () => {
    stopping.abort();
    try {
      await stopServer(server.pid, plan.data);
      await watching;
    } finally {
      release();
    }
  };
}

async function ensureDatabase(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [vendor.name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(vendor.name)}`);
  });
}

async function withClient<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the query that is under way fails as well, and tells
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * The host in the URL is there for parsers that want one (knex, WHATWG); the parameter `host` overrides it. Port and
 * sslmode are said, so that PGPORT and PGSSLMODE in the environment change nothing.
 */
function connectionUrl(database: string, password: string, socketFolder: string): string {
  const host = encodeURIComponent(socketFolder).replaceAll('%2F', '/');
  return `postgres://${vendor.name}:${password}@localhost:${port}/${database}?host=${host}&sslmode=disable`;
}

/** The directory's real path. One that is made here lets the unprivileged user pass, and no one look into it. */
async function openDirectory(directory: string): Promise<string> {
  const path = resolve(directory);
  const made = await mkdir(path, { recursive: true });
  if (made) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  return realpath(path);
}

/**
 * Takes the lock of the directory: a kernel lock on an open file, which dies with this process and is not inherited.
 * Resolves to what releases it, or to null while another process (or another call in this one) holds it.
 */
function takeLock(directory: string): Promise<(() => void) | null> {
  const file = openSync(join(directory, 'lock'), 'a', 0o600);
  return new Promise((resolve, reject) => {
    // The lock belongs to the open file, which this process shares with the command and keeps.
    const command = spawn('flock', ['-n', '-x', '3'], {
      env: cleanEnvironment,
      stdio: ['ignore', 'ignore', 'ignore', file],
    });
    command.once('error', (error) => {
      closeSync(file);
      reject(new Error('The command "flock" is needed: install the system package util-linux.', { cause: error }));
    });
    command.once('exit', (status) => {
      if (status === 0) return resolve(() => closeSync(file));
      closeSync(file);
      resolve(null);
    });
  });
}

/** Says what to do about the failures that a machine, not the software, is the cause of. */
function explain(error: NodeJS.ErrnoException, directory: string): Error {
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/.test(error.message)) {
    return new Error(`The disk that holds ${directory} is full: free some space and start again. ${error.message}`, {
      cause: error,
    });
  }
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(error.code ?? '')) {
    return new Error(
      `User ${process.getuid?.()} cannot write in the folder ${directory}: make it writable for that user, start as ` +
        `its owner, or set DATABASE_URL. ${error.message}`,
      { cause: error },
    );
  }
  return error;
}
