/**
 * What is checked before anything is changed: room on the disk and a free port.
 */
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { type BoxFolder, nearestExisting } from './box/folder.ts';
import { Failure } from './failure.ts';
import { megabytes } from './output/output.ts';

/** Bytes that must stay free after the pull: room for the database to begin with and for logs. */
export const spareBytes = { embeddedDatabase: 500_000_000, ownDatabase: 100_000_000 };

/** Files end in a half-filled block, and the registry's sizes are declarations: a tenth on top. */
const overhead = 1.1;

/** @throws Failure disk_full when the disk has less room than will be pulled, and what must stay free */
export async function checkDisk(folder: BoxFolder, bytesToPull: number, spare: number): Promise<void> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder.root));
  const free = bavail * bsize;
  const needed = Math.ceil(bytesToPull * overhead) + spare;
  if (free >= needed) return;
  throw new Failure(
    'disk_full',
    `${folder.root} has ${megabytes(free)} free and needs ${megabytes(needed)}`,
    'Free some space, or choose a folder on another disk with --dir',
    { freeBytes: free, neededBytes: needed },
  );
}

/** @throws Failure port_taken, or usage when the address is not one of this machine or the port needs root */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure(
        'port_taken',
        `port ${port} is taken on ${host}`,
        'Stop what listens there, or choose another with --port',
        {
          port,
        },
      );
    }
    if (code === 'EACCES') {
      throw new Failure('usage', `port ${port} may not be opened by this user`, 'Choose one above 1023 with --port');
    }
    throw new Failure(
      'usage',
      `nothing can listen on ${host}: ${message}`,
      'Give an address of this machine with --host',
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
