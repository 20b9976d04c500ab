/**
 * Checking the disk before a backup or a restore writes to it.
 */
import { statfs } from 'node:fs/promises';
import { nearestExisting } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import { megabytes } from '../output/output.ts';

/** Space for the WAL of a backup, and for what else is written meanwhile. */
const spareBytes = 100_000_000;

/** @throws Failure disk_full if the disk of a folder, which need not exist, has no space for so many bytes */
export async function checkSpaceFor(path: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(await nearestExisting(path));
  const [free, needed] = [bavail * bsize, Math.ceil(bytes * 1.05) + spareBytes];
  if (free >= needed) return;
  throw new Failure(
    'disk_full',
    `not enough disk space in ${path}: ${megabytes(free)} free, ${megabytes(needed)} needed`,
    'Free some space, or choose a folder on another disk',
    { freeBytes: free, neededBytes: needed },
  );
}
