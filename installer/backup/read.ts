/**
 * Reading a backup of a box: its head and settings, and checking that every byte is the one that was written.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Failure } from '../failure.ts';
import { type ArchiveEntry, readArchive } from './archive.ts';
import type { PlacedBackup } from './place.ts';
import type { BackedUpFile } from './sink.ts';
import { type BackupHead, type BackupManifest, paths } from './take.ts';

/** A backup that is to be read. */
export interface ReadableBackup extends PlacedBackup {
  passphrase?: string | undefined;
}

/** Consumes the content of an entry, and returns its SHA-256. Folders have none. */
export type Use = (entry: ArchiveEntry) => Promise<string>;

/**
 * Reads a backup from its beginning to its end, and compares each file with the manifest.
 * @param begin is called with the head, before anything else
 * @throws Failure usage for a wrong passphrase, integrity_failed for a damaged or incomplete backup
 */
export async function readBackup(
  { place, name, passphrase }: ReadableBackup,
  begin: (head: BackupHead) => Promise<void>,
  use: Use,
): Promise<{ head: BackupHead; manifest: BackupManifest }> {
  const path = place.addressOf(name);
  const damaged = (what: string) =>
    new Failure('integrity_failed', `${path} is damaged: ${what}`, 'Nothing was changed. Use another backup');
  let head: BackupHead | undefined;
  let manifest: BackupManifest | undefined;
  const found: BackedUpFile[] = [];
  for await (const entry of readArchive(await place.read(name), path, passphrase)) {
    if (manifest) throw damaged(`${entry.path} comes after its end`);
    if (!head) {
      const content = await buffer(entry.content);
      head = parseHead(path, entry, content);
      found.push({
        path: paths.head,
        bytes: entry.bytes,
        digest: await digestOf({ content: Readable.from([content]) }),
      });
      await begin(head);
    } else if (entry.path === paths.manifest) manifest = parse(await buffer(entry.content)) as BackupManifest;
    else {
      const digest = await use(entry);
      if (!entry.isFolder) found.push({ path: entry.path, bytes: entry.bytes, digest });
    }
  }
  if (!head || !manifest) throw damaged('it has no end');
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  for (const file of found) {
    const { digest, bytes } = expected.get(file.path) ?? {};
    if (digest !== file.digest || bytes !== file.bytes) throw damaged(`${file.path} is not as it was written`);
  }
  if (found.length !== expected.size) throw damaged('files are missing');
  return { head, manifest };
}

/** Checks a backup without restoring it. */
export function verifyBackup(backup: ReadableBackup) {
  return readBackup(backup, async () => {}, digestOf);
}

/** Consumes an entry and returns its SHA-256. */
export async function digestOf({ content }: Pick<ArchiveEntry, 'content'>): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of content) hash.update(part);
  return hash.digest('hex');
}

function parseHead(path: string, entry: ArchiveEntry, content: Buffer): BackupHead {
  const head = entry.path === paths.head ? (parse(content) as BackupHead | undefined) : undefined;
  if (head?.format === 1) return head;
  if (Number(head?.format) > 1) {
    const message = `${path} was written by a later version of this command (${head?.command})`;
    throw new Failure('usage', message, 'Use that version');
  }
  throw new Failure('usage', `${path} is no backup of a box`, 'Specify a file that backup has written');
}

function parse(content: Buffer): unknown {
  try {
    return JSON.parse(content.toString());
  } catch {
    return undefined;
  }
}
