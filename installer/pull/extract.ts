/**
 * Unpacking a tarball. A package consists of regular files and folders: a tarball with anything else, with a path outside
 * its folder, with two entries of one name, or of more than its size is rejected entirely. Only tarballs with the digest
 * of the release come here, so a rejected one is the vendor's mistake; but a box must survive that, too.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type ReadEntry } from 'tar';
import { Failure } from '../failure.ts';
import { createPathCheck } from './entry-paths.ts';

const plainTypes = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);
const maxEntries = 20_000;
/** The largest header of an entry: two blocks of tar, and the two of a long name (pax, POSIX.1-2001). */
const maxHeaderBytes = 2048;

/**
 * Unpacks a gzipped npm tarball into a folder, which is created or emptied. The first path segment (`package/`) is
 * removed, owners and times are ignored, and modes become 0755 or 0644.
 * @param tarball path of the file
 * @param what name and version of the package, for messages
 * @param maxBytes the most that its files may have together
 * @throws Failure integrity_failed for links, devices, paths outside the folder or twice in it, and more than its size;
 * errors of tar and zlib for a corrupt tarball
 */
export async function unpack(tarball: string, folder: string, what: string, maxBytes: number): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  let rejection: Failure | undefined;
  const reject = (reason: string) => {
    const message = `${what} was rejected: its tarball contains ${reason}`;
    rejection ??= new Failure('integrity_failed', message, 'Contact the vendor', { package: what });
    return false;
  };
  const faultOf = createPathCheck();
  let entries = 0;
  let bytes = 0;
  const extractor = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    processUmask: 0o022,
    // A package is gzipped, and nothing inside is compressed again: it could unpack to any size.
    brotli: false,
    zstd: false,
    filter: (path, value) => {
      const entry = value as ReadEntry;
      if (rejection) return false;
      entries += 1;
      bytes += entry.size;
      if (!plainTypes.has(entry.type)) return reject(`${JSON.stringify(path)} (${entry.type})`);
      const fault = faultOf(path, entry.type === 'Directory');
      if (fault) return reject(`${JSON.stringify(path)}, ${fault}`);
      if (entries > maxEntries) return reject(`more than ${maxEntries} entries`);
      if (!(bytes <= maxBytes)) return reject(`more than the ${maxBytes} bytes of the package`);
      entry.mode = entry.type === 'Directory' || ((entry.mode ?? 0) & 0o111) !== 0 ? 0o755 : 0o644;
      return true;
    },
  });
  let hasEnded = false;
  extractor.on('eof', () => {
    hasEnded = true;
  });
  // The parser passes over types that it does not know, such as sparse files.
  extractor.on('ignoredEntry', ({ path, type }) => reject(`${JSON.stringify(path)} (${type})`));
  const closed = new Promise<void>((resolve, reject) => extractor.on('error', reject).on('close', resolve));
  closed.catch(() => undefined);
  try {
    await pipeline(createReadStream(tarball), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      let unzipped = 0;
      for await (const chunk of chunks) {
        if (unzipped === 0 && chunk[0] === 0x1f) reject('a compressed file in place of tar’s'); // gzip's first byte
        unzipped += chunk.length;
        if (unzipped > maxBytes + maxEntries * maxHeaderBytes) reject(`more than the ${maxBytes} bytes of the package`);
        if (rejection) throw rejection;
        // What follows the end of the archive is not read: the parser takes minutes for zeros without end.
        if (!hasEnded && !extractor.write(chunk)) await Promise.race([once(extractor, 'drain'), closed]);
      }
      extractor.end();
      await closed;
    });
  } catch (error) {
    throw rejection ?? error;
  }
  if (rejection) throw rejection;
}
