/**
 * Where the embedded database of a box is, whether it runs, and connections to the database of a box.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type BoxFolder, exists } from '../box/folder.ts';
import { commandLineOf, programOf, userOf } from '../box/process-table.ts';
import { readSecrets } from '../box/settings.ts';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';

/** The files of an embedded PostgreSQL. The engine's `runtime/db/embedded/cluster.ts` describes them. */
export interface DatabaseHome {
  /** The folder that the box names: it has the lock, and the file `location` if the home is elsewhere. */
  readonly directory: string;
  readonly home: string;
  readonly data: string;
  readonly password: string;
}

/** A running PostgreSQL server. */
export interface RunningServer {
  pid: number;
  socketFolder: string;
  /** PostgreSQL's own word for its state; `ready` if it accepts connections. */
  status: string;
}

/** Returns the paths of the embedded database of a box, which need not exist. */
export async function databaseHome(folder: BoxFolder): Promise<DatabaseHome> {
  const directory = join(folder.data, 'postgresql');
  const location = (await readFile(join(directory, 'location'), 'utf8').catch(() => '')).trim();
  const home = location || directory;
  return { directory, home, data: join(home, 'data'), password: join(home, 'password') };
}

/** Whether a folder has the data of a PostgreSQL. */
export function hasData(data: string): Promise<boolean> {
  return exists(join(data, 'PG_VERSION'));
}

/** Names of the folders with former data, which a restore has left beside what took its place. */
export async function formerDataOf(folder: BoxFolder): Promise<string[]> {
  return formerDataIn((await databaseHome(folder)).home);
}

/** Paths of the folders with former data besides those of these names. */
export async function addedData(folder: BoxFolder, names: readonly string[]): Promise<string[]> {
  const { home } = await databaseHome(folder);
  return (await formerDataIn(home)).filter((name) => !names.includes(name)).map((name) => join(home, name));
}

async function formerDataIn(home: string): Promise<string[]> {
  return (await readdir(home).catch(() => [])).filter((name) => name.startsWith('data.before-')).sort();
}

/** Returns the server on a data folder, or undefined if none runs. */
export async function findServer(data: string): Promise<RunningServer | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, folder, , , socketFolder = '', , , status = ''] = lines.map((line) => line.trim());
  if (!(Number(pid) > 0) || !isServerOn(Number(pid), data, folder || data)) return undefined;
  return { pid: Number(pid), socketFolder, status };
}

/**
 * Whether a process is a PostgreSQL on a data folder: after a crash another may have its number, and the user of the
 * database can write any number into `postmaster.pid`. PostgreSQL runs as the owner of its data only.
 * @param named the folder as its command line names it
 */
export function isServerOn(pid: number, data: string, named = data): boolean {
  if (programOf(pid) !== 'postgres' || !commandLineOf(pid).includes(named)) return false;
  return userOf(pid) === statSync(data, { throwIfNoEntry: false })?.uid;
}

/** Returns the name and password of a connection by socket to an embedded server. */
export async function socketOptions(socketFolder: string, passwordFile: string): Promise<pg.ClientConfig> {
  const password = (await readFile(passwordFile, 'utf8')).trim();
  // Everything is explicit, so that PGUSER, PGSSLMODE and the like have no effect.
  return { host: socketFolder, port: 5432, user: vendor, database: vendor, password, ssl: false };
}

/**
 * Returns how to connect to the database of a box as its owner.
 * @throws Failure not_running if the embedded database does not run
 */
export async function connectionOptions(folder: BoxFolder): Promise<pg.ClientConfig> {
  const { DATABASE_URL } = await readSecrets(folder);
  if (DATABASE_URL) return { connectionString: DATABASE_URL };
  const { data, password } = await databaseHome(folder);
  const server = await findServer(data);
  if (server?.status === 'ready') return socketOptions(server.socketFolder, password);
  throw new Failure('not_running', 'the database of the box does not run', `Run ${vendor} start, then try again`);
}

/** Connects, and ends the connection after the work. @throws Failure not_running if the server cannot be reached */
export async function withConnection<T>(options: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionTimeoutMillis: 15_000, application_name: vendor, ...options });
  client.on('error', () => undefined); // the query in progress fails with the same error
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Failure('not_running', `the database cannot be reached: ${message || code}`, 'See doctor for the cause');
  }
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Connects to the database of a box, which must run. Reads see all rows: the connection is the owner's. */
export async function withDatabase<T>(folder: BoxFolder, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return withConnection(await connectionOptions(folder), work);
}

/**
 * Takes the lock that the engine holds while it starts or runs the embedded database.
 * @returns the function that releases it, or undefined while another process holds it
 */
export async function lockDatabase(directory: string): Promise<(() => void) | undefined> {
  const created = !(await exists(join(directory, 'lock')));
  const file = openSync(join(directory, 'lock'), 'a', 0o600);
  if (created) await ownLikeFolder(directory);
  return new Promise((resolve, reject) => {
    // The lock belongs to the open file, which this process shares with the program and keeps open.
    const child = spawn('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', file] });
    child.once('error', () => {
      closeSync(file);
      reject(new Failure('unexpected', 'this machine has no flock', 'Install the package util-linux'));
    });
    child.once('exit', (status) => {
      if (status === 0) return resolve(() => closeSync(file));
      closeSync(file);
      resolve(undefined);
    });
  });
}

/** A file that root creates in the folder of another user must be that user's. */
async function ownLikeFolder(directory: string): Promise<void> {
  const { uid, gid } = await stat(directory);
  if (process.getuid?.() !== 0 || uid === 0) return;
  const handle = await open(join(directory, 'lock'), 'r');
  await handle.chown(uid, gid);
  await handle.close();
}
