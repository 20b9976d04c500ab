/**
 * Temporary folders for uploaded files: one per request, named after the process, so that the next start finds those
 * that a killed process has left.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Creates the folder of a request. */
export async function createUploadFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return mkdtemp(join(parent, `${process.pid}-`));
}

/** Removes the folder of a request with its files, except those that the handler has moved. */
export async function removeUploadFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Removes the folders of dead processes. To be called before the first request, since a folder with the id of this
 * process is that of an earlier one.
 */
export async function removeStaleUploads(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const stale = names.filter((name) => {
    const owner = /^(\d+)-/.exec(name)?.[1];
    return owner !== undefined && (Number(owner) === process.pid || !isAlive(Number(owner)));
  });
  await Promise.all(stale.map((name) => removeUploadFolder(join(parent, name))));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
