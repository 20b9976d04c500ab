/**
 * Stores media files in a folder.
 */
import { copyFile, type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteRange, Chunks } from '@carton/runtime';
import { type MediaStorage, MissingFile } from './storage.ts';

/** Bytes. */
const chunkSize = 64 * 1024;

/** @param folder absolute; created with the first file */
export function filesIn(folder: string): MediaStorage {
  /** Folders with few entries: the last digits of an id are random. */
  const pathOf = (key: string) => join(folder, dirname(key), key.slice(-2), key.slice(dirname(key).length + 1));
  return {
    async put(key, from) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await copyFile(from, path);
      await synchronize(path);
      await synchronize(dirname(path));
    },
    async *read(key, range, size = Infinity) {
      const file = await open(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new MissingFile(`${key} is not in ${folder}`) : error;
      });
      try {
        yield* chunksOf(file, range ?? { start: 0, end: size - 1 });
      } finally {
        await file.close();
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async removeFolder(name) {
      await rm(join(folder, name), { recursive: true, force: true });
      return false;
    },
  };
}

/** Most files are one chunk, for which a stream of Node.js takes twice the time. */
async function* chunksOf(file: FileHandle, { start, end }: ByteRange): Chunks {
  for (let position = start; position <= end; ) {
    const length = Math.min(chunkSize, end - position + 1);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

/** Writes a file or the entries of a folder to disk. */
async function synchronize(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
