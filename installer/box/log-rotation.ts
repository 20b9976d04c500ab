/**
 * Rotation of the log of a box in the background, while the box writes it. The box, its supervisor and a box that takes
 * its place all append to one open file, which therefore is copied and emptied, not renamed.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';

/** Bytes from which a log is rotated, and the number of earlier logs that are kept: `box.log.1` is the newest. */
const maxBytes = 20_000_000;
const keptLogs = 3;
const checkMilliseconds = 5000;
const chunkBytes = 64 * 1024;

/** Returns the path of an earlier log; 1 is the newest. */
export function earlierLog(log: string, number: number): string {
  return `${log}.${number}`;
}

/** Rotates the log whenever it is too long. @returns the function that ends this */
export function rotateWhenLong(log: string): () => void {
  const timer = setInterval(() => rotate(log), checkMilliseconds);
  return () => clearInterval(timer);
}

/** Rotates the log if it is too long. */
export function rotate(log: string, limit = maxBytes): void {
  try {
    if (statSync(log).size <= limit) return;
    for (let number = keptLogs; number > 1; number--) {
      const younger = earlierLog(log, number - 1);
      if (existsSync(younger)) renameSync(younger, earlierLog(log, number));
    }
    // Who follows the log sees the copy appear after the log was emptied.
    const partial = `${log}.partial`;
    copyAndEmpty(log, partial);
    renameSync(partial, earlierLog(log, 1));
  } catch {
    // No log yet, or no space for the copy: neither is a reason to stop the box.
  }
}

/** Synchronous, so that as little as possible is written between the last read and the end of the file. */
function copyAndEmpty(log: string, copy: string): void {
  copyFileSync(log, copy);
  const source = openSync(log, 'r+');
  const target = openSync(copy, 'a');
  try {
    const buffer = Buffer.alloc(chunkBytes);
    for (let position = fstatSync(target).size; ; ) {
      const length = readSync(source, buffer, 0, chunkBytes, position);
      if (length === 0) break;
      writeSync(target, buffer, 0, length);
      position += length;
    }
    ftruncateSync(source, 0);
  } finally {
    closeSync(source);
    closeSync(target);
  }
}
