/**
 * The database of a box without DATABASE_URL: PostgreSQL as a child process, durable, on a unix socket only, with its
 * data in the box's folder. One process owns the server and restarts it when it fails; others may connect to it.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir, realpath, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vendor } from '../vendor.ts';
import { chooseAccount, cleanEnvironment } from './embedded/account.ts';
import { archiveSettings } from './embedded/archive.ts';
import { copiedBinaries, findBinariesPackage, prepareBinaries, removeOldBinaries } from './embedded/binaries.ts';
import { ensureDatabase, withClient } from './embedded/client.ts';
import {
  checkMajor,
  ensureCluster,
  ensureHome,
  ensurePassword,
  ensureSocketFolder,
  readLocation,
  readPassword,
} from './embedded/cluster.ts';
import { watchRecovery } from './embedded/recovery.ts';
import type { Plan, Server } from './embedded/server.ts';
import {
  isPostgresIn,
  port,
  readPostmaster,
  rotateLog,
  serverParameters,
  signal,
  startServer,
  stopServer,
  untilReady,
} from './embedded/server.ts';

/**
 * A running PostgreSQL. `url` is a postgres:// URL of the vendor's database with a superuser, for `pg`, knex and psql.
 * `owned` is true if this process runs the server; otherwise `stop` leaves it running.
 */
export interface EmbeddedPostgres {
  url: string;
  readonly owned: boolean;
  stop(): Promise<void>;
  /** Leaves the server running, for another process that waits to adopt it. */
  release(): Promise<void>;
  /** Whether the server runs on if this process crashes, for others that use it and another owner to come. Default: no. */
  survive(yes: boolean): void;
}

export interface EmbeddedPostgresOptions {
  /** The folder that holds `data`; created when missing. */
  directory: string;
  /** Settings of postgresql.conf that override the defaults here. */
  settings?: Record<string, string>;
  /** The folder to archive the WAL in; without it, nothing is archived. */
  archive?: string | undefined;
  /** Receives one line for each event of interest to an operator. */
  log?: (line: string) => void;
  /**
   * Whether this process takes the place of the owner, if there is one, as soon as that releases the server or dies. The
   * server then runs from a copy of the binaries beside its data, which are the same after an upgrade.
   */
  adopt?: boolean;
  /** Called once while initdb or the server starts: this process only waits for a moment. */
  meanwhile?: () => void;
  /** Whether the server is another process's in any case: one that starts is waited for, none is started. */
  joinOnly?: boolean;
  /** Ends a start that waits: no server is started any more, and one that is not ready yet is stopped. */
  signal?: AbortSignal | undefined;
}

/** Milliseconds to wait for another process that is starting the server. */
const joinTimeout = 300_000;

/** Milliseconds before a failed server is restarted; doubled while restarts fail. */
const firstDelay = 250;

/**
 * Starts PostgreSQL in a folder, takes over the server of a killed process, or connects to the server of another
 * process.
 * @throws Error that says what to do: no binaries, no user to run as, disk full, folder not writable, other version; the
 * reason of the signal if it is aborted
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    const directory = await openDirectory(options.directory);
    const deadline = Date.now() + joinTimeout;
    for (;;) {
      const unlock = options.joinOnly ? null : await acquireLock(directory);
      if (unlock) return await own(directory, options, unlock);
      const url = await joinRunning(directory);
      if (url && options.adopt && !options.joinOnly) return await joinToAdopt(directory, options, url);
      if (url) {
        return { url, owned: false, stop: async () => {}, release: async () => {}, survive: () => {} };
      }
      if (Date.now() > deadline) {
        throw new Error(`Another process uses ${directory}, but its PostgreSQL does not respond: stop that process.`);
      }
      options.signal?.throwIfAborted();
      await sleep(100);
    }
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, options.directory);
  }
}

/** Starts the server as its owner, while holding the lock of the directory. */
async function own(directory: string, options: EmbeddedPostgresOptions, unlock: () => void): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => {});
  let { meanwhile } = options;
  const wait = () => {
    meanwhile?.();
    meanwhile = undefined;
  };
  const unlocks = [unlock];
  const release = () => {
    for (const unlock of unlocks.splice(0)) unlock();
  };
  let supervised: Supervised | undefined;
  try {
    const account = await chooseAccount(join((await readLocation(directory)) ?? directory, 'data'));
    const home = await ensureHome(directory, account, log);
    if (home !== directory) {
      // A copy of the directory names the same home; a server cannot have two owners.
      const unlockHome = await acquireLock(home);
      if (!unlockHome) {
        throw new Error(`The data in ${home} is in use by another folder whose file "location" names it.`);
      }
      unlocks.push(unlockHome);
    }
    const prepare = options.adopt ? copiedBinaries : prepareBinaries;
    const binaries = await prepare(findBinariesPackage(), home, account, log);
    await ensureCluster(home, binaries, account, log, { meanwhile: wait, ending: options.signal });
    const data = await realpath(join(home, 'data'));
    const orphan = readPostmaster(data);
    // A lost password can be replaced only while no server runs.
    if (orphan && (await readPassword(home)) === null) await stopServer(orphan.pid, data);
    const password = await ensurePassword(home, binaries, account);
    const socketFolder = await ensureSocketFolder(home, account);

    const archive = options.archive ? await archiveSettings(options.archive, account) : {};
    const parameters = serverParameters(data, socketFolder, { ...archive, ...options.settings });
    const logFile = join(home, 'postgresql.log');
    const plan = { program: binaries.postgres, parameters, data, socketFolder, logFile, account, log };
    supervised = await supervise(plan, wait, options.signal);
    const { stop: stopSupervised, leave, survive } = supervised;
    await removeOldBinaries(home, binaries);
    await ensureDatabase(connectionUrl('postgres', password, socketFolder));
    let ended: Promise<void> | undefined;
    const endWith = (end: () => void | Promise<void>) => {
      ended ??= (async () => end())().finally(release);
      return ended;
    };
    const stop = async () => {
      await stopSupervised();
      if (socketFolder !== join(home, 'socket')) await rmdir(socketFolder).catch(() => {});
    };
    return {
      url: connectionUrl(vendor.name, password, socketFolder),
      owned: true,
      stop: () => endWith(stop),
      release: () => endWith(leave),
      survive,
    };
  } catch (error) {
    await supervised?.stop().catch(() => {});
    release();
    throw error;
  }
}

/**
 * Uses the server of another process, and owns it once that process has released it or died.
 * @throws Error if the installed binaries could not run the data
 */
async function joinToAdopt(
  directory: string,
  options: EmbeddedPostgresOptions,
  url: string,
): Promise<EmbeddedPostgres> {
  const home = (await readLocation(directory)) ?? directory;
  const account = await chooseAccount(join(home, 'data'));
  await checkMajor(home, await copiedBinaries(findBinariesPackage(), home, account, options.log ?? (() => {})));
  const ending = new AbortController();
  let owned: EmbeddedPostgres | undefined;
  let survives = false;
  let isReleased = false;
  const adopting = (async () => {
    while (!ending.signal.aborted) {
      const unlock = await acquireLock(directory, ending.signal);
      if (!unlock) continue;
      try {
        owned = await own(directory, { ...options, signal: undefined }, unlock);
        owned.survive(survives);
        return;
      } catch (error) {
        options.log?.(`PostgreSQL cannot be taken over: ${(error as Error).message}`);
        await sleep(firstDelay, undefined, { ref: false });
      }
    }
  })();
  const end = async (finish: (server: EmbeddedPostgres) => Promise<void>) => {
    ending.abort();
    await adopting;
    if (owned) await finish(owned);
  };
  return {
    url,
    get owned() {
      return owned !== undefined;
    },
    async stop() {
      await end((server) => server.stop());
      // What was left to another process is not stopped, even if that does not own it yet.
      if (owned || isReleased) return;
      // Its owner may have died, or released it, at this very moment. If it has stopped it, none is started.
      const unlock = await acquireLock(directory);
      const ended = AbortSignal.abort();
      const left = unlock && own(directory, { ...options, signal: ended }, unlock);
      await left?.then(
        (server) => server.stop(),
        (error) => {
          if (error !== ended.reason) throw error;
        },
      );
    },
    release: () => {
      isReleased = true;
      return end((server) => server.release());
    },
    survive(yes) {
      survives = yes;
      owned?.survive(yes);
    },
  };
}

/** The URL of the server of another process, or null while it accepts no connections. */
async function joinRunning(directory: string): Promise<string | null> {
  const home = (await readLocation(directory)) ?? directory;
  const password = await readPassword(home);
  const postmaster = readPostmaster(join(home, 'data'));
  if (!password || postmaster?.status !== 'ready') return null;
  const url = connectionUrl(vendor.name, password, postmaster.socketFolder);
  return withClient(url, async () => url).catch(() => null);
}

interface Supervised {
  stop(): Promise<void>;
  /** Ends the supervision; the server continues to run. */
  leave(): void;
  /** Whether it runs on if this process exits. */
  survive(yes: boolean): void;
}

/**
 * Starts the server and restarts it when it fails.
 * @param meanwhile called when it starts
 * @param ending ends the wait until it is ready, and the server
 */
async function supervise(plan: Plan, meanwhile: () => void, ending?: AbortSignal): Promise<Supervised> {
  let server: Server = await startServer(plan, ending);
  meanwhile();
  // A process that exits without stopping the server signals it; a killed process leaves it to be taken over.
  let survives = false;
  // Between a crash and the restart another process may have its number.
  const onExit = () => survives || (isPostgresIn(server.pid, plan.data) && signal(server.pid, 'SIGINT'));
  process.once('exit', onExit);
  const logTimer = setInterval(() => rotateLog(plan.logFile), 60_000).unref();
  let endWatch = () => {};
  const release = () => {
    endWatch();
    clearInterval(logTimer);
    process.off('exit', onExit);
  };
  await untilReady(server, plan, ending).catch(async (error) => {
    // It runs if the wait was ended.
    await stopServer(server.pid, plan.data).finally(release);
    throw error;
  });

  const stopping = new AbortController();
  const stopRequested = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()));
  const watch = async () => {
    // A server that was ready is restarted after the first delay; one that fails to start, with back-off.
    let delay = firstDelay;
    while (!stopping.signal.aborted) {
      endWatch = watchRecovery(server, plan);
      const reason = await Promise.race([server.exited, stopRequested]);
      endWatch();
      if (stopping.signal.aborted) return;
      plan.log(`PostgreSQL ${reason}; restarting it in ${delay} ms`);
      await sleep(delay, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      if (stopping.signal.aborted) return;
      delay = Math.min(delay * 2, 30_000);
      try {
        server = await startServer(plan);
        if (stopping.signal.aborted) return await stopServer(server.pid, plan.data);
        await untilReady(server, plan);
        delay = firstDelay;
        plan.log('PostgreSQL is ready again');
      } catch (error) {
        plan.log((error as Error).message);
      }
    }
  };
  const watching = watch();

  return {
    async stop() {
      stopping.abort();
      try {
        await stopServer(server.pid, plan.data);
        await watching;
      } finally {
        release();
      }
    },
    leave() {
      stopping.abort();
      release();
    },
    survive(yes) {
      survives = yes;
    },
  };
}

/**
 * The host in the URL is for parsers that require one (knex, WHATWG); the parameter `host` overrides it. Port and
 * sslmode are explicit, so that PGPORT and PGSSLMODE in the environment have no effect.
 */
export function connectionUrl(database: string, password: string, socketFolder: string): string {
  const host = encodeURIComponent(socketFolder).replaceAll('%2F', '/');
  return `postgres://${vendor.name}:${password}@localhost:${port}/${database}?host=${host}&sslmode=disable`;
}

/** The directory's real path. A directory created here by root can be entered, but not listed, by other users. */
async function openDirectory(directory: string): Promise<string> {
  const path = resolve(directory);
  const created = await mkdir(path, { recursive: true });
  if (created) await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  return realpath(path);
}

/**
 * Acquires the lock of the directory: a kernel lock on an open file, which ends with this process and is not inherited.
 * Resolves to the function that releases it, or to null while another process or call holds it.
 * @param waiting waits for the lock until it is aborted
 */
function acquireLock(directory: string, waiting?: AbortSignal): Promise<(() => void) | null> {
  const file = openSync(join(directory, 'lock'), 'a', 0o600);
  return new Promise((resolve, reject) => {
    // The lock belongs to the open file, which this process shares with the command and keeps open.
    const command = spawn('flock', [...(waiting ? [] : ['-n']), '-x', '3'], {
      env: cleanEnvironment,
      stdio: ['ignore', 'ignore', 'ignore', file],
      signal: waiting,
    });
    command.once('error', (error) => {
      if (error.name === 'AbortError') return; // followed by its exit
      closeSync(file);
      reject(new Error('The command "flock" is missing: install the system package util-linux.', { cause: error }));
    });
    command.once('exit', (status) => {
      if (status === 0) return resolve(() => closeSync(file));
      closeSync(file);
      resolve(null);
    });
  });
}

/** Adds what to do to errors that the machine causes, not the software. */
function explain(error: NodeJS.ErrnoException, directory: string): Error {
  // PostgreSQL gives only the hint if a part of a block was written.
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|Check free disk space/.test(error.message)) {
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
