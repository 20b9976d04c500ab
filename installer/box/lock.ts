/**
 * One command at a time on one box folder.
 *
 * The lock is a Unix socket in the kernel's abstract namespace, named after the folder. The kernel frees it the moment
 * its process is gone, however it went, so there is no stale lock to judge and nothing is left in the folder. Whoever
 * finds it taken asks it who holds it.
 */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { join, relative } from 'node:path';
import { Failure, rethrowAsFailure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { nearestExisting } from './folder.ts';

const timeoutMilliseconds = 1000;

/**
 * Runs work while holding the lock of a folder, which need not exist.
 * @param command the word others are told, such as `install`
 * @throws Failure busy when another command holds it; whatever the work throws, as a Failure
 */
export async function withLock<T>(directory: string, command: string, work: () => Promise<T>): Promise<T> {
  const address = await lockAddress(directory);
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // who asked may be gone before the answer
    socket.end(`${command} (process ${process.pid})`);
  });
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Failure(
      'busy',
      `${await askHolder(address)} is at work on ${directory}`,
      'Wait until it has ended, then try again',
    );
  }
  try {
    return await rethrowAsFailure(work);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** The same for every spelling of one folder, links included; a hash because socket names are short. */
async function lockAddress(directory: string): Promise<string> {
  const nearest = await nearestExisting(directory);
  const place = join(await realpath(nearest), relative(nearest, directory));
  return `\0${vendor}-box-${createHash('sha256').update(place).digest('hex').slice(0, 32)}`;
}

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
