/**
 * Unpacking a tarball. A package consists of regular files and folders: a tarball with anything else, or with a path
 * outside its folder, is rejected entirely.
 */
import { mkdir, rm } from 'node:fs/promises';
import { extract, type ReadEntry } from 'tar';
import { Failure } from '../failure.ts';

const plainTypes = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);

/**
 * Unpacks a gzipped npm tarball into a folder, which is created or emptied. The first path segment (`package/`) is
 * removed, owners and times are ignored, and modes become 0755 or 0644.
 * @param what name and version of the package, for messages
 * @param onBytes called with the size of each file when its extraction begins
 * @throws Failure integrity_failed for links, devices and paths outside the folder; tar's errors for a corrupt tarball
 */
export async function unpack(
  tarball: NodeJS.ReadableStream,
  folder: string,
  what: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  // Attached before the first await: the download may fail before the folder is ready.
  const failed = new Promise<never>((_, reject) => tarball.on('error', reject));
  failed.catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  let rejection: Failure | undefined;
  const reject = (reason: string) => {
    const message = `${what} was rejected: its tarball contains ${reason}`;
    rejection ??= new Failure('integrity_failed', message, 'Contact the vendor', { package: what });
    return false;
  };
  const extractor = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    processUmask: 0o022,
    filter: (path, value) => {
      const entry = value as ReadEntry;
      if (rejection) return false;
      if (!plainTypes.has(entry.type)) return reject(`${path} (${entry.type})`);
      if (escapesFolder(path)) return reject(`${path}, which is outside its folder`);
      entry.mode = entry.type === 'Directory' || ((entry.mode ?? 0) & 0o111) !== 0 ? 0o755 : 0o644;
      onBytes(entry.size);
      return true;
    },
  });
  try {
    const finished = new Promise<void>((resolve, reject) => extractor.on('error', reject).on('close', resolve));
    tarball.pipe(extractor as unknown as NodeJS.WritableStream);
    await Promise.race([finished, failed]);
  } catch (error) {
    throw rejection ?? error;
  }
  if (rejection) throw rejection;
}

function escapesFolder(path: string): boolean {
  return path.startsWith('/') || path.includes('\\') || path.includes('\0') || path.split('/').includes('..');
}
