// Durable files: the content and the folder entry are flushed to disk.

import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of the names of files that are not complete. A process that is killed leaves them behind. */
export const draftSuffix = '.draft';

/** Writes a new file and flushes it and its folder. Rejects if the file exists. */
export async function writeNewFile(path: string, content: string): Promise<void> {
  await writeFlushed(path, content);
  await flushFolder(dirname(path));
}

/** Replaces a file atomically and durably: readers see the old content or the new. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomUUID()}${draftSuffix}`;
  try {
    await writeFlushed(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await flushFolder(dirname(path));
}

async function writeFlushed(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Flushes the entries of a folder, without which a flushed file may be missing after a crash. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
