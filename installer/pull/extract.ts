/**
 * Unpacking a tarball. A package consists of regular files and folders: a tarball with anything else, with a path outside
 * its folder, with two entries of one name, or of more than its size is rejected entirely. Only tarballs with the digest
 * of the release come here, so a rejected one is the vendor's mistake; but a box must survive that, too.
 *
 * Files are written and hashed as they are parsed, in calls that block: with thousands of small files the thread pool is
 * several times slower, and it decompresses meanwhile.
 */
import { createHash } from 'node:crypto';
import { closeSync, constants, createReadStream, fchmodSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { Failure } from '../failure.ts';
import type { FileHashes } from '../release/stamp.ts';
import { createPathCheck } from './entry-paths.ts';

const plainTypes = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);
const maxEntries = 20_000;
/** The largest header of an entry: two blocks of tar, and the two of a long name (pax, POSIX.1-2001). */
const maxHeaderBytes = 2048;
const chunkBytes = 256 * 1024;
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

/**
 * Unpacks a gzipped npm tarball into a folder, which is created or emptied. The first path segment (`package/`) is
 * removed, owners and times are ignored, and modes become 0755 or 0644.
 * @param tarball path of the file
 * @param what name and version of the package, for messages
 * @param maxBytes the most that its files may have together
 * @returns the hash of each file
 * @throws Failure integrity_failed for links, devices, paths outside the folder or twice in it, and more than its size;
 * errors of tar and zlib for a corrupt tarball, and of the disk
 */
export async function unpack(tarball: string, folder: string, what: string, maxBytes: number): Promise<FileHashes> {
  rmSync(folder, { recursive: true, force: true });
  const reject = (reason: string): never => {
    const message = `${what} was rejected: its tarball contains ${reason}`;
    throw new Failure('integrity_failed', message, 'Contact the vendor', { package: what });
  };
  const writer = createWriter(folder);
  const faultOf = createPathCheck();
  let entries = 0;
  let bytes = 0;
  const begin = (entry: ReadEntry) => {
    const { path, type, size } = entry;
    const isFolder = type === 'Directory';
    entries += 1;
    bytes += size;
    if (!plainTypes.has(type)) reject(`${JSON.stringify(path)} (${type})`);
    const fault = faultOf(path, isFolder);
    if (fault) reject(`${JSON.stringify(path)}, ${fault}`);
    if (entries > maxEntries) reject(`more than ${maxEntries} entries`);
    if (!(bytes <= maxBytes)) reject(`more than the ${maxBytes} bytes of the package`);
    const below = path.split('/').slice(1).join('/');
    if (below === '' || isFolder) writer.addFolder(below);
    else writer.addFile(below, entry, guarded);
    entry.resume();
  };

  let failure: Error | undefined;
  let hasEnded = false;
  /** An error in an event of the parser must not be thrown through it. */
  const guarded =
    <T>(react: (value: T) => void) =>
    (value: T) => {
      if (failure) return;
      try {
        react(value);
      } catch (error) {
        failure = error as Error;
      }
    };
  const parser = new Parser({
    strict: true,
    // A package is gzipped, and nothing inside is compressed again: it could unpack to any size.
    brotli: false,
    zstd: false,
    onReadEntry: guarded(begin),
  });
  parser.on(
    'error',
    guarded((error: Error) => {
      throw error;
    }),
  );
  // The parser passes over types that it does not know, such as sparse files.
  parser.on(
    'ignoredEntry',
    guarded(({ path, type }) => reject(`${JSON.stringify(path)} (${type})`)),
  );
  parser.on('eof', () => {
    hasEnded = true;
  });
  try {
    const gunzip = createGunzip({ chunkSize: chunkBytes });
    await pipeline(
      createReadStream(tarball, { highWaterMark: chunkBytes }),
      gunzip,
      async (chunks: AsyncIterable<Buffer>) => {
        let unzipped = 0;
        for await (const chunk of chunks) {
          if (unzipped === 0 && chunk[0] === 0x1f) reject('a compressed file in place of tar’s'); // gzip's first byte
          unzipped += chunk.length;
          if (unzipped > maxBytes + maxEntries * maxHeaderBytes)
            reject(`more than the ${maxBytes} bytes of the package`);
          // What follows the end of the archive is not read: the parser takes minutes for zeros without end.
          if (!hasEnded) parser.write(chunk);
          if (failure) throw failure;
        }
        if (!hasEnded) parser.end();
        if (failure) throw failure;
      },
    );
    return writer.hashes();
  } finally {
    writer.close();
  }
}

/** Writes files that do not exist yet, and hashes them. */
function createWriter(folder: string) {
  const hashes: FileHashes = {};
  const folders = new Set<string>();
  let openFile: number | undefined;
  const addFolder = (path: string) => {
    if (folders.has(path)) return;
    mkdirSync(join(folder, path), { recursive: true, mode: 0o755 });
    folders.add(path);
  };
  const close = () => {
    if (openFile !== undefined) closeSync(openFile);
    openFile = undefined;
  };
  return {
    addFolder,
    /** Adds a file whose content the entry is about to emit. Entries are emitted one after the other. */
    addFile(path: string, entry: ReadEntry, guarded: <T>(react: (value: T) => void) => (value: T) => void) {
      addFolder(dirname(path));
      close();
      const file = openSync(join(folder, path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      openFile = file;
      fchmodSync(file, ((entry.mode ?? 0) & 0o111) === 0 ? 0o644 : 0o755);
      const hash = createHash('sha256');
      const write = guarded((chunk: Buffer) => {
        hash.update(chunk);
        for (let written = 0; written < chunk.length; ) written += writeSync(file, chunk, written);
      });
      entry.on('data', write);
      entry.on('end', () => {
        hashes[path] = hash.digest('base64');
      });
    },
    hashes: () => hashes,
    close,
  };
}
