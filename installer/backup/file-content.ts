/**
 * Reading and writing files for a backup. Most of the thousand files of a database are small: for these, synchronous calls
 * take a fraction of the time of calls through the thread pool.
 */
import { closeSync, fchownSync, fstatSync, openSync, read, readSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';

/** Parts of a file's content, in order. */
export type Content = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Larger files are read in parts of this size, between which signals and timers have their turn. */
const partBytes = 1024 * 1024;
const turnMilliseconds = 50;

/**
 * Reads a file as long as it is now. It may change meanwhile: what is torn or cut is repaired by the WAL.
 * @param options.required whether the file must have all of its bytes; one that is cut goes on with zeros otherwise, as in
 * pg_basebackup
 * @returns undefined if there is no such file
 */
export async function readWith<Result>(
  path: string,
  { required }: { required: boolean },
  use: (content: Content, bytes: number) => Promise<Result>,
): Promise<Result | undefined> {
  const descriptor = openIfPresent(path);
  if (descriptor === undefined) return undefined;
  try {
    const { size } = fstatSync(descriptor);
    const content = size > partBytes ? partsOf(descriptor, size, required) : [wholeOf(descriptor, size, required)];
    return await use(content, size);
  } finally {
    closeSync(descriptor);
  }
}

function wholeOf(descriptor: number, bytes: number, required: boolean): Buffer {
  const whole = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; ) {
    const bytesRead = readSync(descriptor, whole, at, bytes - at, at);
    if (bytesRead === 0) {
      if (required) throw cut();
      break;
    }
    at += bytesRead;
  }
  return whole;
}

async function* partsOf(descriptor: number, bytes: number, required: boolean): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const part = Buffer.alloc(Math.min(partBytes, bytes - at));
    const { bytesRead } = await promisify(read)(descriptor, part, 0, part.length, at);
    if (bytesRead === 0 && required) throw cut();
    const filled = bytesRead === 0 ? part : part.subarray(0, bytesRead);
    at += filled.length;
    yield filled;
  }
}

function cut(): Failure {
  return new Failure('unexpected', 'a file was cut during the backup', 'Run it again');
}

/** Writes a new file of mode 0600. @param owner the user it belongs to; this process's by default */
export async function writeNew(
  path: string,
  content: Content,
  owner: { uid: number; gid: number } | undefined,
  onPart: (part: Buffer) => void,
): Promise<void> {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    for await (const part of content) {
      onPart(part);
      for (let at = 0; at < part.length; ) at += writeSync(descriptor, part, at);
    }
    if (owner) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns a function to await between files, which lets signals and timers have their turn from time to time. */
export function takingTurns(): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < turnMilliseconds) return;
    await nextTurn();
    last = Date.now();
  };
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
