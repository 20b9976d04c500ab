/**
 * Unpacking one tarball. A package is plain files in folders; a tarball that holds anything else, or names a place
 * outside of its own folder, is refused whole rather than cleaned up.
 */
import { mkdir, rm } from 'node:fs/promises';
import { extract, type ReadEntry } from 'tar';
import { Failure } from '../failure.ts';

const plainTypes = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);

/**
 * Unpacks a gzipped npm tarball into a folder, which is made, or emptied. Its first path segment (`package/`) is dropped,
 * owners and times are not kept, and modes become 0755 or 0644.
 * @param what names the package in messages
 * @param onBytes told the size of each file as it begins
 * @throws Failure integrity_failed for links, devices and paths that lead out; tar's own errors for a broken tarball
 */
export async function unpack(
  tarball: NodeJS.ReadableStream,
  folder: string,
  what: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  // Listened to before anything is awaited: the tarball may fail before the folder is ready.
  const failed = new Promise<never>((_, reject) => tarball.on('error', reject));
  failed.catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });

  let refusal: Failure | undefined;
  const refuse = (reason: string) => {
    refusal ??= new Failure('integrity_failed', `${what} is refused: its tarball holds ${reason}`, 'Tell the vendor', {
      package: what,
    });
    return false;
  };
  const extractor = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    noMtime: true,
    processUmask: 0o022,
    filter: (path, given) => {
      const entry = given as ReadEntry;
      if (refusal) return false;
      if (!plainTypes.has(entry.type)) return refuse(`${path}, which is a ${entry.type}`);
      if (escapesFolder(path)) return refuse(`${path}, which leads out of its folder`);
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
    throw refusal ?? error;
  }
  if (refusal) throw refusal;
}

function escapesFolder(path: string): boolean {
  return path.startsWith('/') || path.includes('\\') || path.includes('\0') || path.split('/').includes('..');
}
