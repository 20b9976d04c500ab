/**
 * Where uploaded files stand while their request is served: one folder a request, named after the process, so that the
 * next start finds what a process that was killed has left.
 */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes the folder of one request. */
export async function createUploadFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  return mkdtemp(join(parent, `${process.pid}-`));
}

/** Removes a folder and what is in it; what was moved away stays. */
export async function removeUploadFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Removes what processes that are gone have left. To be called before the first request: what bears this process's own
 * number is of an earlier one.
 */
export async function removeStaleUploads(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const left = names.filter((name) => {
    const owner = /^(\d+)-/.exec(name)?.[1];
    return owner !== undefined && (Number(owner) === process.pid || !isAlive(Number(owner)));
  });
  await Promise.all(left.map((name) => removeUploadFolder(join(parent, name))));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
