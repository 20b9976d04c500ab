// Files that survive a power cut: written, flushed, and their folder flushed too.

import { randomUUID } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a new file and flushes it with its folder. Rejects when the file exists. */
export async function writeNewFile(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await flushFolder(dirname(path));
}

/** Puts a file in place of another in one step: a reader sees the old content or the new, never a part. */
export async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.draft`;
  await writeNewFile(draft, content);
  await rename(draft, path);
}

/** Flushes a folder's list of names, without which a flushed file may lose its name. */
export async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
