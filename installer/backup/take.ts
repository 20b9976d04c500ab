/**
 * Taking a backup of a box: its database, files, settings with secrets, and the lock file of its release, in one file.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, readlink, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { editVariables } from '../box/edit-settings.ts';
import { type BoxFolder, releaseFolder } from '../box/folder.ts';
import { readInstallationId } from '../box/installation.ts';
import { readSecrets, requireSettings } from '../box/settings.ts';
import { asFailure, Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { lockFileName, vendor, version } from '../vendor.ts';
import { writeArchive } from './archive.ts';
import { measureDatabase, writeDatabase } from './database.ts';
import type { BackupKey } from './key.ts';
import type { PlacedBackup } from './place.ts';
import { filesPath, namesIn, type Place, placesOf } from './places.ts';
import type { DatabaseRecord } from './record.ts';
import { type Seal, sealOf } from './seal.ts';
import type { BackedUpFile, BackupSink } from './sink.ts';

/** The first entry of a backup, `backup.json`. */
export interface BackupHead {
  format: 1;
  /** ISO 8601. */
  time: string;
  /** Version of the command that has written it. */
  command: string;
  /** Id of the release, and of the installation. */
  release: string;
  installation: string | undefined;
  tier: string;
  /** Whether the database is the box's own, or the operator's. */
  database: 'embedded' | 'external';
  /** Where media files are: in this backup, or in a bucket that it does not include. */
  media: { storage: 'backup' } | { storage: 's3'; bucket: string };
  /** Bytes of the files, about. */
  bytes: number;
}

/** The head as it is written: the seal is of the head and of the settings that follow it. */
export type SealedHead = BackupHead & { seal?: Seal };

/** The last entry, `manifest.json`: a backup without it is incomplete. */
export interface BackupManifest {
  record: DatabaseRecord;
  /** All entries between the first and this one. */
  files: readonly BackedUpFile[];
  /** Those with entries of their own, also empty ones; absent in backups of earlier versions of the command. */
  folders?: readonly string[];
}

export type SealedManifest = BackupManifest & { seal?: Seal };

export const paths = {
  head: 'backup.json',
  manifest: 'manifest.json',
  settings: 'settings/box.json',
  secrets: 'settings/box.env',
  lock: `release/${lockFileName}`,
  /** What is in the box's folder `data`, besides the database and uploads in progress. */
  files: filesPath,
};
/** The entries after the first one, in this order. They are used before the rest is read. */
export const settingsPaths = [paths.settings, paths.secrets, paths.lock] as const;

/** What the first seal is of. @param texts the contents of `settingsPaths` */
export function sealedStart(head: BackupHead, texts: Readonly<Record<string, string>>): unknown {
  const digests = settingsPaths.map((path) => [
    path,
    createHash('sha256')
      .update(texts[path] ?? '')
      .digest('hex'),
  ]);
  return { head, digests };
}

/** A backup that has been taken. */
export interface TakenBackup {
  /** Path or address. */
  path: string;
  bytes: number;
  /** SHA-256 of the file. */
  digest: string;
  head: BackupHead;
  record: DatabaseRecord;
  /** How many files of the box besides its database. */
  files: number;
  encrypted: boolean;
  /** Id of the backup key that has sealed it. */
  key: string;
}

export interface TakeOptions extends PlacedBackup {
  passphrase?: string | undefined;
  /** Seals the backup. */
  key: BackupKey;
  output: Output;
  signal?: AbortSignal | undefined;
}

/**
 * Takes a backup while the box sells, or while it is stopped.
 * @throws Failure not_installed, usage, disk_full, busy, interrupted; nothing is left behind then
 */
export async function takeBackup(
  folder: BoxFolder,
  { place, name, passphrase, key, ...options }: TakeOptions,
): Promise<TakenBackup> {
  const { tier } = await requireSettings(folder);
  const secrets = await readSecrets(folder);
  const release = await releaseOf(folder);
  const places = placesOf(folder, secrets);
  const bytes = (await measureDatabase(folder)) + (await measureFiles(places));
  await place.prepare(bytes);
  const head: BackupHead = {
    format: 1,
    time: new Date().toISOString(),
    command: version,
    release,
    installation: await readInstallationId(folder),
    tier,
    database: secrets.DATABASE_URL ? 'external' : 'embedded',
    media:
      secrets.MEDIA_STORAGE === 's3' ? { storage: 's3', bucket: secrets.MEDIA_S3_BUCKET ?? '' } : { storage: 'backup' },
    bytes,
  };
  try {
    let record: DatabaseRecord | undefined;
    let files = 0;
    const store = (source: AsyncIterable<Buffer>) => place.write(name, source, bytes);
    const written = await writeArchive(store, passphrase, async (sink) => {
      const texts = {
        [paths.settings]: await readFile(folder.settings, 'utf8'),
        [paths.secrets]: withoutBucketSecret(await readFile(folder.secrets, 'utf8')),
        [paths.lock]: await readFile(join(releaseFolder(folder, release), lockFileName), 'utf8'),
      };
      const sealed: SealedHead = { ...head, seal: sealOf(key, 'head', sealedStart(head, texts)) };
      await addText(sink, paths.head, JSON.stringify(sealed));
      for (const path of settingsPaths) await addText(sink, path, texts[path] as string);
      record = await writeDatabase(folder, sink, options);
      // Files after the database: each that it refers to is there, or was deleted meanwhile.
      files = await addFiles(sink, places, options);
      const now = await releaseOf(folder);
      if (now !== release) {
        throw new Failure('busy', `release ${now} became current during the backup`, 'Run the command again');
      }
      const manifest: BackupManifest = { record, files: sink.files, folders: sink.folders };
      const end: SealedManifest = { ...manifest, seal: sealOf(key, 'manifest', manifest) };
      await addText(sink, paths.manifest, JSON.stringify(end));
    });
    return {
      path: place.addressOf(name),
      ...written,
      head,
      record: record as unknown as DatabaseRecord,
      files,
      encrypted: passphrase !== undefined,
      key: key.id,
    };
  } catch (error) {
    throw asFailure(error);
  }
}

/** Who can read one backup must not be able to remove all. */
function withoutBucketSecret(text: string): string {
  const name = 'BACKUP_S3_SECRET_ACCESS_KEY';
  return new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(text)
    ? editVariables(text, new Map([[name, null]]))
    : text;
}

async function releaseOf(folder: BoxFolder): Promise<string> {
  const release = await readlink(folder.current).then(basename, () => undefined);
  if (release) return release;
  throw new Failure('not_installed', `${folder.current} is missing`, `Run ${vendor} install again`);
}

async function measureFiles(places: readonly Place[]): Promise<number> {
  let bytes = 0;
  for (const place of places) {
    for await (const name of namesIn(place))
      bytes += (await stat(join(place.from, name)).catch(() => undefined))?.size ?? 0;
  }
  return bytes;
}

async function addFiles(
  sink: BackupSink,
  places: readonly Place[],
  { output, signal }: Pick<TakeOptions, 'output' | 'signal'>,
): Promise<number> {
  const began = Date.now();
  let count = 0;
  for (const place of places) {
    for await (const name of namesIn(place)) {
      if (signal?.aborted) throw interrupted('Nothing was left behind: run the command again');
      output.waiting(`backing up files: ${count}`, (Date.now() - began) / 1000);
      if (await addFile(sink, `${place.to}/${name}`, join(place.from, name), true)) count += 1;
    }
  }
  return count;
}

/** Adds a file as long as it is now. @returns false if it was deleted and `mayBeMissing` */
async function addFile(sink: BackupSink, to: string, from: string, mayBeMissing = false): Promise<boolean> {
  const handle = await open(from, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && mayBeMissing) return undefined;
    throw error;
  });
  if (!handle) return false;
  try {
    const { size } = await handle.stat();
    const content =
      size === 0
        ? []
        : (createReadStream('', { fd: handle.fd, autoClose: false, start: 0, end: size - 1 }) as AsyncIterable<Buffer>);
    await sink.file(to, size, exactly(content, size, from));
    return true;
  } finally {
    await handle.close();
  }
}

async function* exactly(content: AsyncIterable<Buffer> | Buffer[], size: number, name: string): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of content) {
    bytes += part.length;
    yield part;
  }
  if (bytes !== size)
    throw new Failure('unexpected', `${name} became shorter during the backup`, 'Run the command again');
}

async function addText(sink: BackupSink, path: string, text: string): Promise<void> {
  const content = Buffer.from(text);
  await sink.file(path, content.length, [content]);
}
