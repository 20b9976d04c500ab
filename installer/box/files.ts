/**
 * Writing small files so that a reader sees the old content or the new one, and a power cut leaves one of the two.
 */
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes beside the file, flushes to disk and renames over it. @param mode permission bits, 0644 unless given */
export async function writeAtomically(path: string, content: string, mode = 0o644): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const handle = await open(temporary, 'w', mode);
    try {
      await handle.chmod(mode); // open() lets the umask take bits away; a secret's mode must not depend on it
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(dirname(path));
}

/** Flushes a folder's entries to disk, so that a rename in it survives a power cut. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
