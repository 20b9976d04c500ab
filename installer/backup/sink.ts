/**
 * Where a backup goes: a folder here, an archive in archive.ts. Whatever it is, it records the size and the digest of each
 * file.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Content, writeNew } from './file-content.ts';

export type { Content } from './file-content.ts';

/** A file of a backup. */
export interface BackedUpFile {
  /** Relative, with `/` between names: `database/data/base/1/1259`. */
  path: string;
  bytes: number;
  /** SHA-256 in hexadecimal digits. */
  digest: string;
}

export interface BackupSink {
  /** Creates a folder, which may stay empty. */
  folder(path: string): Promise<void>;
  /** Writes a file of exactly this many bytes. */
  file(path: string, bytes: number, content: Content): Promise<void>;
  /** The files and the folders so far. */
  readonly files: readonly BackedUpFile[];
  readonly folders: readonly string[];
}

/** Writes to a folder, with mode 0700 for folders and 0600 for files. Nothing is flushed to disk. */
export function folderSink(root: string): BackupSink {
  const files: BackedUpFile[] = [];
  const folders: string[] = [];
  const known = new Set<string>();
  const createFolder = async (path: string) => {
    if (!known.has(path)) await mkdir(path, { recursive: true, mode: 0o700 });
    known.add(path);
  };
  return {
    files,
    folders,
    async folder(path) {
      await createFolder(join(root, path));
      folders.push(path);
    },
    async file(path, bytes, content) {
      await createFolder(dirname(join(root, path)));
      const digest = await writeFileOf(join(root, path), content);
      files.push({ path, bytes, digest });
    },
  };
}

/**
 * Writes a new file of mode 0600.
 * @param owner the user it belongs to; this process's by default
 * @returns the SHA-256 of its content in hexadecimal digits
 */
export async function writeFileOf(
  path: string,
  content: Content,
  owner?: { uid: number; gid: number },
): Promise<string> {
  const hash = createHash('sha256');
  await writeNew(path, content, owner, (part) => hash.update(part));
  return hash.digest('hex');
}
