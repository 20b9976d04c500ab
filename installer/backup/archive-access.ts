/**
 * Who may write in an archive of the write-ahead log (WAL). It has no seal: PostgreSQL writes it as the user of the
 * database, who does not read the backup key, and a recovery applies what is there. So a recovery uses an archive only if
 * nobody but its owner may write in it.
 */
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import type { Verification } from './seal.ts';

/** What a recovery reads: segments, also incomplete ones, and histories of timelines. */
const usedFile = /^[0-9A-F]{24}(\.partial)?$|^[0-9A-F]{8}\.history$/;
/** Modes that let the group or others write. */
const writableByOthers = 0o022;

/** Returns what shows that others may have written in the archive; undefined if nothing does, or it does not exist. */
export async function foreignWriters(archive: string): Promise<string | undefined> {
  const folder = await stat(archive).catch(() => undefined);
  if (!folder) return undefined;
  if (folder.mode & writableByOthers) return `others than its owner may write in ${archive}`;
  const owners = new Set([folder.uid, 0, process.getuid?.()]);
  for (const name of (await readdir(archive)).filter((each) => usedFile.test(each))) {
    const path = join(archive, name);
    const file = await lstat(path);
    if (!file.isFile()) return `${path} is no file of its own`;
    if (!owners.has(file.uid)) return `${path} belongs to another user than ${archive}`;
    if (file.mode & writableByOthers) return `others than its owner may write ${path}`;
  }
  return undefined;
}

/**
 * Requires that only the owner of an archive may write in it.
 * @throws Failure unverified, unless that is allowed
 */
export async function requireOwnArchive(
  archive: string,
  { allowUnverified = false, warn }: Pick<Verification, 'allowUnverified' | 'warn'>,
): Promise<void> {
  const reason = await foreignWriters(archive);
  if (reason === undefined) return;
  const unknown = 'whether what was written after the backup is of the box, cannot be known';
  if (allowUnverified) return warn?.(`${reason}: ${unknown}`);
  const advice = `Nothing was changed. Let the user of the box alone write there (chmod go-w). With --allow-unverified it is used all the same: ${unknown}`;
  throw new Failure('unverified', reason, advice);
}
