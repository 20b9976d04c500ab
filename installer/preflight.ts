/**
 * Checks before anything is changed: the path, disk space, a file system that runs programs, and a free port.
 */
import { readFile, realpath, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { type BoxFolder, nearestExisting } from './box/folder.ts';
import { Failure } from './failure.ts';
import { megabytes } from './output/output.ts';

/** Bytes that must stay free after the pull, for a new database and for logs. */
export const spareBytes = { embeddedDatabase: 500_000_000, ownDatabase: 100_000_000 };

/** Files occupy whole blocks, and the registry's sizes are only declared: 10 % on top. */
const diskOverhead = 1.1;

/** What an install or an upgrade writes, in bytes. */
export interface DiskNeed {
  pull: number;
  /** The backup of the database before its migrations. */
  backup: number;
}

/** Returns how many bytes must be free. @param spare those that must stay free afterwards */
export function neededBytes({ pull, backup }: DiskNeed, spare: number): number {
  return Math.ceil(pull * diskOverhead) + backup + spare;
}

/** Returns the bytes that must stay free in a box with these secrets. */
export function spareBytesOf({ DATABASE_URL }: { DATABASE_URL?: string | undefined }): number {
  return DATABASE_URL === undefined ? spareBytes.embeddedDatabase : spareBytes.ownDatabase;
}

/** @throws Failure disk_full when the disk has less space than is needed */
export async function checkDisk(folder: BoxFolder, need: DiskNeed, spare: number): Promise<void> {
  const { bavail, bsize } = await statfs(await nearestExisting(folder.root));
  const free = bavail * bsize;
  const needed = neededBytes(need, spare);
  if (free >= needed) return;
  const ofBackup = need.backup > 0 ? `, ${megabytes(need.backup)} of them for the backup of the database` : '';
  throw new Failure(
    'disk_full',
    `not enough disk space in ${folder.root}: ${megabytes(free)} free, ${megabytes(needed)} needed${ofBackup}`,
    'Free some space, or choose a folder on another disk with --dir',
    { freeBytes: free, neededBytes: needed, backupBytes: need.backup },
  );
}

/** PostgreSQL allows 1023 bytes; its program and its data are up to 200 further down. */
const maxPathBytes = 800;

/**
 * Checks the path of a new box. The database's `initdb` passes it to a shell in double quotes, where these characters have
 * a meaning (dash(1), "Quoting").
 * @throws Failure folder_unusable
 */
export async function checkPath(folder: BoxFolder): Promise<void> {
  const nearest = await nearestExisting(folder.root);
  const paths = [folder.root, join(await realpath(nearest), relative(nearest, folder.root))];
  const advice = 'Choose another folder with --dir';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are refused
  const wrong = paths.map((path) => /["$`\\\u0000-\u001f\u007f]/.exec(path)?.[0]).find(Boolean);
  if (wrong !== undefined) {
    const message = `the path of the folder contains the character ${JSON.stringify(wrong)}, with which the database cannot start`;
    throw new Failure('folder_unusable', message, advice);
  }
  const length = Math.max(...paths.map((path) => Buffer.byteLength(path)));
  if (length <= maxPathBytes) return;
  const message = `the path of the folder has ${length} bytes; with more than ${maxPathBytes} the database cannot start`;
  throw new Failure('folder_unusable', message, advice);
}

/** @throws Failure folder_unusable if programs, such as the database's, cannot be run from the folder */
export async function checkExecutable(folder: BoxFolder): Promise<void> {
  const path = await realpath(await nearestExisting(folder.root));
  const mount = mountOf(path, await readFile('/proc/self/mounts', 'utf8').catch(() => ''));
  if (!mount?.options.includes('noexec')) return;
  throw new Failure(
    'folder_unusable',
    `programs cannot be run from ${folder.root}: ${mount.folder} is mounted with noexec`,
    'Choose a folder on another file system with --dir, or mount it without noexec',
  );
}

/**
 * Finds the file system of a path.
 * @param mounts the text of `/proc/self/mounts` (proc_pid_mounts(5)): device, folder, type, options
 */
export function mountOf(path: string, mounts: string): { folder: string; options: string[] } | undefined {
  let found: { folder: string; options: string[] } | undefined;
  for (const line of mounts.split('\n')) {
    const [, escaped = '', , options = ''] = line.split(' ');
    const folder = escaped.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
    const isWithin = folder === path || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
    // Of several mounts on one folder, the last one is seen.
    if (folder !== '' && isWithin && folder.length >= (found?.folder.length ?? 0)) {
      found = { folder, options: options.split(',') };
    }
  }
  return found;
}

/** @throws Failure port_taken; usage when the address is not one of this machine or the port requires root */
export async function checkPort(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure(
        'port_taken',
        `port ${port} on ${host} is already in use`,
        'Stop the program that listens on it, or choose another port with install --port',
        { port },
      );
    }
    if (code === 'EACCES') {
      throw new Failure(
        'usage',
        `this user may not listen on port ${port}`,
        'Choose a port above 1023 with install --port',
      );
    }
    throw new Failure(
      'usage',
      `cannot listen on ${host}: ${message}`,
      'Choose an address of this machine with install --host',
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}
