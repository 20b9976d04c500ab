/**
 * The lock of a box folder: one command at a time.
 *
 * The lock is a Unix socket in the kernel's abstract namespace, named after the folder. The kernel releases it when the
 * process exits for any reason, so a lock is never stale and leaves no file. A command that finds the folder locked
 * connects to the socket to learn which command holds the lock.
 */
import { createHash } from 'node:crypto';
import { lstat, realpath } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { Failure, rethrowAsFailure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { removeTemporaryFiles } from './files.ts';
import { type BoxFolder, boxFolder, nearestExisting } from './folder.ts';

const timeoutMilliseconds = 1000;

/**
 * Runs work while holding the lock of a folder, which need not exist. First removes what killed commands have left of
 * files that they were writing, one of which has secrets.
 * @param command name of the command for messages to others, such as `install`
 * @throws Failure busy when another command holds the lock; any error of the work, as a Failure
 */
export async function withLock<T>(directory: string, command: string, work: () => Promise<T>): Promise<T> {
  const address = await lockAddress(directory);
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the client may disconnect first
    socket.end(`${command} (process ${process.pid})`);
  });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Failure(
      'busy',
      `${await askHolder(address)} is using ${directory}`,
      'Wait until it has finished, then try again',
    );
  }
  try {
    return await rethrowAsFailure(async () => {
      await removeOfKilledCommands(boxFolder(directory));
      return work();
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Does nothing in the folder of another user, who could have root remove files by a link. */
async function removeOfKilledCommands({ root, upgrades }: BoxFolder): Promise<void> {
  for (const folder of [root, upgrades]) {
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() && found.uid === process.getuid?.()) await removeTemporaryFiles(folder);
  }
}

/** Returns the same name for all paths of one folder, including links. It is a hash because socket names are short. */
async function lockAddress(directory: string): Promise<string> {
  const nearest = await nearestExisting(directory);
  const path = join(await realpath(nearest), relative(nearest, directory));
  return `\0${vendor}-box-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
}

/** Asks the process that holds the lock for its command and process id. */
function askHolder(address: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(address);
    const end = () => {
      socket.destroy();
      resolve(answer || 'another command');
    };
    socket.setTimeout(timeoutMilliseconds, end).setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', end).on('end', end);
  });
}
