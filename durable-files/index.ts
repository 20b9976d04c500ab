/**
 * Atomic and durable writes of small files: readers, and a power failure, find either the old or the new content.
 *
 * The engine, the installer and the registry have this code in their bundles: it imports nothing of them.
 */
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

type Content = string | Uint8Array;

export interface Replacement {
  /** The file that is written and then renamed. A process that is killed leaves it behind, to be recognised by its name. */
  temporary: string;
  /** Permission bits, whatever the umask is. */
  mode: number;
  /** The account that owns the file; by default that of the process. */
  owner?: { uid: number; gid: number } | undefined;
}

/** Replaces a file, or writes a new one: the temporary file is flushed, renamed, and its folder flushed. */
export async function replaceFile(
  path: string,
  content: Content,
  { temporary, mode, owner }: Replacement,
): Promise<void> {
  // A new file: what is left of a killed process may belong to another account, or have another mode.
  await rm(temporary, { force: true });
  try {
    await writeFlushed(temporary, content, mode, async (file) => {
      await file.chmod(mode);
      if (owner) await file.chown(owner.uid, owner.gid);
    });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flush(dirname(path));
}

/** Writes a new file of mode 0600, and flushes it and its folder. Rejects if the file exists. */
export async function writeNewFile(path: string, content: Content): Promise<void> {
  await writeFlushed(path, content, 0o600);
  await flush(dirname(path));
}

/** Flushes a file, or the entries of a folder: without that, a file that was renamed may be missing after a power failure. */
export async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeFlushed(
  path: string,
  content: Content,
  mode: number,
  prepare?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await prepare?.(file);
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
