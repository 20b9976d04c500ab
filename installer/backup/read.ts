/**
 * Reading a backup of a box: its head and settings, and checking that every byte is the one that the box has written.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { type ArchiveEntry, readArchive } from './archive.ts';
import type { BackupKey } from './key.ts';
import type { PlacedBackup } from './place.ts';
import { requireSeal, type Verification, type VerifiedBy, verifySeal } from './seal.ts';
import type { BackedUpFile } from './sink.ts';
import {
  type BackupHead,
  type BackupManifest,
  paths,
  type SealedHead,
  type SealedManifest,
  sealedStart,
  settingsPaths,
} from './take.ts';

/** A backup that is to be read. */
export interface ReadableBackup extends PlacedBackup {
  passphrase?: string | undefined;
  verification: Verification;
}

/** The beginning of a backup, which is verified before anything is done with it. */
export interface BackupStart {
  head: BackupHead;
  /** The contents of `settingsPaths`. */
  texts: Readonly<Record<string, string>>;
  verifiedBy: VerifiedBy;
  /** The backup key that has sealed it. */
  key?: BackupKey | undefined;
}

/** Consumes the content of an entry, and returns its SHA-256. Folders have none. */
export type Use = (entry: ArchiveEntry) => Promise<string>;

/** Heads and settings have a few kilobytes: a larger one is none of ours. */
const mostBytes = 4 * 2 ** 20;

/**
 * Reads a backup from its beginning to its end, verifies its seals, and compares each file with the manifest.
 * @param begin is called with the head and the settings once they are verified, before the rest is read
 * @throws Failure usage for a wrong passphrase, unverified without a seal or its key, integrity_failed for a damaged or
 * incomplete backup
 */
export async function readBackup(
  { place, name, passphrase, verification }: ReadableBackup,
  begin: (start: BackupStart) => Promise<void>,
  use: Use,
): Promise<BackupStart & { manifest: BackupManifest }> {
  const path = place.addressOf(name);
  const damaged = (what: string) =>
    new Failure('integrity_failed', `${path} is damaged: ${what}`, 'Nothing was changed. Use another backup');
  const entries = readArchive(await place.read(name), path, passphrase);
  const found: BackedUpFile[] = [];
  const folders: string[] = [];
  const nextText = async (expected: string): Promise<{ text: string; authentic: boolean } | undefined> => {
    const { value: entry } = await entries.next();
    if (entry?.path !== expected || entry.bytes > mostBytes) return undefined;
    const content = await buffer(entry.content);
    found.push({ path: expected, bytes: entry.bytes, digest: await digestOf({ content: Readable.from([content]) }) });
    return { text: content.toString(), authentic: entry.authentic };
  };
  let manifest: SealedManifest | undefined;
  let key: BackupKey | undefined;
  try {
    const first = await nextText(paths.head);
    const { seal, ...head } = parseHead(path, first?.text);
    const texts: Record<string, string> = {};
    for (const each of settingsPaths) {
      const next = await nextText(each);
      if (!next) throw damaged(`${each} is missing`);
      texts[each] = next.text;
    }
    const isAuthentic = first?.authentic === true;
    if (!isAuthentic) {
      key = await verifySeal(path, { kind: 'head', seal, value: sealedStart(head, texts) }, verification);
    }
    const start: BackupStart = {
      head,
      texts,
      verifiedBy: isAuthentic ? 'passphrase' : key ? 'backup key' : 'nothing',
      key,
    };
    await begin(start);
    for await (const entry of entries) {
      if (manifest) throw damaged(`${entry.path} comes after its end`);
      if (entry.path === paths.manifest) manifest = parse((await buffer(entry.content)).toString()) as SealedManifest;
      else {
        const digest = await use(entry);
        if (entry.isFolder) folders.push(entry.path);
        else found.push({ path: entry.path, bytes: entry.bytes, digest });
      }
    }
    if (!manifest) throw damaged('it has no end');
    const { seal: last, ...content } = manifest;
    if (key) requireSeal(path, { kind: 'manifest', seal: last, value: content }, key);
    compare({ files: found, folders }, content, damaged);
    return { ...start, manifest: content };
  } finally {
    await entries.return(undefined);
  }
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

/** Compares what was read with the manifest: each file and folder once, and no other. */
function compare(
  found: { files: readonly BackedUpFile[]; folders: readonly string[] },
  manifest: BackupManifest,
  damaged: (what: string) => Failure,
): void {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  for (const file of found.files) {
    const { digest, bytes } = expected.get(file.path) ?? {};
    if (digest !== file.digest || bytes !== file.bytes) throw damaged(`${file.path} is not as it was written`);
    expected.delete(file.path);
  }
  if (expected.size > 0) throw damaged('files are missing');
  // Earlier versions of the command did not list them.
  if (manifest.folders && !isDeepStrictEqual(found.folders, manifest.folders)) throw damaged('its folders are others');
}

function parseHead(path: string, text: string | undefined): SealedHead {
  const head = parse(text ?? '') as SealedHead | undefined;
  if (head?.format === 1) return head;
  if (Number(head?.format) > 1) {
    const message = `${path} was written by a later version of this command (${head?.command})`;
    throw new Failure('usage', message, 'Use that version');
  }
  throw new Failure('usage', `${path} is no backup of a box`, 'Specify a file that backup has written');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
