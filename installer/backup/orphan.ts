/**
 * The embedded PostgreSQL of a box that was killed together with its supervisor: it goes on, so that the next start of the
 * box takes it over. Where there is none, it is stopped, as the box would have done.
 */
import { realpath, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { BoxFolder } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { databaseHome, findServer, isServerOn, lockDatabase, type RunningServer } from './home.ts';

const pollMilliseconds = 50;
/** Fast shutdown, then immediate, which loses nothing either: the next start recovers. */
const steps = [
  ['SIGINT', 30],
  ['SIGQUIT', 10],
  ['SIGKILL', 10],
] as const;

/** Returns the server of a box that does not run; undefined if there is none, or another process uses it. */
export async function findOrphanedDatabase(folder: BoxFolder): Promise<RunningServer | undefined> {
  return withOrphan(folder, async (server) => server);
}

/**
 * Stops the server of a box that does not run.
 * @returns its process id; undefined if there is none
 * @throws Failure did_not_stop, folder_unusable if it belongs to another user
 */
export async function stopOrphanedDatabase(folder: BoxFolder, output: Output): Promise<number | undefined> {
  return withOrphan(folder, async ({ pid }, data) => {
    for (const [signal, seconds] of steps) {
      send(pid, signal);
      const began = Date.now();
      while (isServerOn(pid, data)) {
        const waited = (Date.now() - began) / 1000;
        if (waited > seconds) break;
        output.waiting('waiting for the database to stop', waited);
        await pause(pollMilliseconds);
      }
      if (!isServerOn(pid, data)) return pid;
    }
    throw new Failure('did_not_stop', `PostgreSQL (process ${pid}) did not stop`, 'Look at the disk: it may be stuck');
  });
}

/** Runs work with the lock of the database, which a box that runs holds. */
async function withOrphan<T>(
  folder: BoxFolder,
  work: (server: RunningServer, data: string) => Promise<T>,
): Promise<T | undefined> {
  const home = await databaseHome(folder);
  const data = await realpath(home.data).catch(() => undefined);
  const server = data && (await findServer(data));
  if (!server || !(await isOfBox(data, [folder.root, folder.data, home.directory, home.home]))) return undefined;
  const unlock = await lockDatabase(home.directory);
  if (!unlock) return undefined;
  try {
    return isServerOn(server.pid, data) ? await work(server, data) : undefined;
  } finally {
    unlock();
  }
}

/**
 * Whether data belongs to the box, for root, which can signal the servers of all users: the owner of a folder on the way to it
 * could have put a link to the data of another user there.
 */
async function isOfBox(data: string, way: string[]): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  const [owner, ...others] = await Promise.all([data, ...way].map(async (path) => (await stat(path)).uid));
  return others.every((uid) => uid === 0 || uid === owner);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return;
    if (code !== 'EPERM') throw error;
    throw new Failure(
      'folder_unusable',
      `PostgreSQL (process ${pid}) belongs to another user`,
      'Run the command as that user',
    );
  }
}
