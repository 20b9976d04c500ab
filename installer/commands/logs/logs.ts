/**
 * `logs`: prints the last lines of a box's log, and follows it. A box in the foreground does not write it: its output is
 * that of its command.
 */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { boxFolder } from '../../box/folder.ts';
import { earlierLog } from '../../box/log-rotation.ts';
import { requireSettings } from '../../box/settings.ts';

/** Options of `logs`. */
export interface LogsOptions {
  /** The box's folder. */
  dir: string;
  /** How many of the last lines to print. */
  lines: number;
  /** Whether to go on with what is added, until `signal` aborts. */
  follow: boolean;
  signal: AbortSignal;
}

const pollMilliseconds = 200;
const chunkBytes = 64 * 1024;

/**
 * Writes the end of the log, byte for byte.
 * @param write resolves when the reader has taken the bytes
 * @returns whether there is a log
 * @throws Failure not_installed
 */
export async function logs(
  { dir, lines, follow, signal }: LogsOptions,
  write: (bytes: Buffer) => Promise<void>,
): Promise<boolean> {
  const folder = boxFolder(dir);
  await requireSettings(folder);
  const earlier = earlierLog(folder.log, 1);
  let copied = await inodeOf(earlier);
  let file = await openIfPresent(folder.log);
  const exists = file !== undefined;
  try {
    let position = file ? await startOfLastLines(file, lines) : 0;
    if (file) position = await copy(file, position, write);
    while (follow && !signal.aborted) {
      await pause(pollMilliseconds, undefined, { signal }).catch(() => undefined);
      const next = await openIfPresent(folder.log);
      if (!next) continue;
      const isSame = file && (await file.stat()).ino === (await next.stat()).ino;
      const newest = await inodeOf(earlier);
      if (isSame && newest !== copied) {
        // The log has been copied and emptied.
        await copyEarlier(earlier, position, write);
        position = 0;
      }
      copied = newest;
      if (file) position = await copy(file, position, write);
      // Earlier versions of the command renamed a long log.
      if (isSame) {
        await next.close();
        continue;
      }
      await file?.close();
      file = next;
      position = await copy(file, 0, write);
    }
  } finally {
    await file?.close();
  }
  return exists;
}

async function inodeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.ino;
}

async function openIfPresent(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the position of the first of the last lines. */
async function startOfLastLines(file: FileHandle, lines: number): Promise<number> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(chunkBytes);
  let missing = lines;
  for (let end = size; end > 0; end -= chunkBytes) {
    const start = Math.max(0, end - chunkBytes);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The line break at the end of the file ends the last line.
      if (buffer[at] !== 0x0a || start + at === size - 1) continue;
      missing -= 1;
      if (missing <= 0) return start + at + 1;
    }
  }
  return 0;
}

/** Writes the rest of a log that was copied and emptied. */
async function copyEarlier(path: string, from: number, write: (bytes: Buffer) => Promise<void>): Promise<void> {
  const file = await openIfPresent(path);
  if (!file) return;
  try {
    await copy(file, from, write);
  } finally {
    await file.close();
  }
}

/** Writes what the file has from a position on, and returns where it ends now. */
async function copy(file: FileHandle, from: number, write: (bytes: Buffer) => Promise<void>): Promise<number> {
  let position = from;
  for (;;) {
    const buffer = Buffer.alloc(chunkBytes);
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return position;
    await write(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
