/**
 * `backup`: takes a backup of a box, verifies what was written, and removes those that are too old.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pruneArchive, removeOldBackups } from '../../backup/catalogue.ts';
import { provideBackupKey } from '../../backup/key.ts';
import { isNameOfBackup, openBackup, openPlace, requireFolderOf } from '../../backup/open-place.ts';
import type { BackupPlace, CatalogueEntry, PlacedBackup, PlaceOptions } from '../../backup/place.ts';
import { verifyBackup } from '../../backup/read.ts';
import { isBucketAddress } from '../../backup/s3/address.ts';
import { type TakenBackup, takeBackup } from '../../backup/take.ts';
import { writeAtomically } from '../../box/files.ts';
import { type BoxFolder, boxFolder, checkOwner } from '../../box/folder.ts';
import { readInstallationId } from '../../box/installation.ts';
import { withLock } from '../../box/lock.ts';
import { readSecrets, requireSettings } from '../../box/settings.ts';
import { Failure } from '../../failure.ts';
import type { Output } from '../../output/output.ts';
import { vendor } from '../../vendor.ts';
import { readSecretFile } from '../support/secret-file.ts';

export interface BackupOptions {
  dir: string;
  /**
   * Folder or `s3://bucket/prefix`, or a file there that ends with `.tar.zst` or `.enc`; by default that of the schedule, or
   * `backups` in the folder.
   */
  to?: string | undefined;
  /** File with the passphrase; by default that of the schedule. */
  passphraseFile?: string | undefined;
  /** How many verified backups stay in the folder; by default as in the schedule, or all. */
  keep?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface BackupResult extends TakenBackup {
  /** Names of the backups that were removed. */
  removed: string[];
}

/** What `backup schedule` sets, and every backup uses by default: `backup.json` in the folder of the box. */
export interface BackupSettings {
  /** Seconds between backups; absent if none are scheduled. */
  every?: number;
  keep?: number;
  to?: string;
  passphraseFile?: string;
  /** Name of the timer of systemd, without `.timer`. */
  timer?: string;
}

const ending = '.tar.zst';
const encryptedEnding = `${ending}.enc`;

/** @throws Failure not_installed, usage, disk_full, busy, integrity_failed, interrupted; nothing is left behind then */
export async function backup(options: BackupOptions, output: Output): Promise<BackupResult> {
  const folder = boxFolder(options.dir);
  await requireSettings(folder);
  await checkOwner(folder);
  const take = async () => {
    const settings = await readBackupSettings(folder);
    const passphrase = await readPassphrase(options.passphraseFile ?? settings.passphraseFile);
    const { place, name } = await chooseName(folder, {
      to: options.to ?? settings.to,
      encrypted: passphrase !== undefined,
      signal: options.signal,
    });
    const key = await provideBackupKey(folder, output, { shown: false });
    const taken = await takeBackup(folder, { place, name, passphrase, key, output, signal: options.signal });
    const { path } = taken;
    output.info('taken', `backup written: ${path}`, { path, bytes: taken.bytes });
    try {
      await verifyBackup({ place, name, passphrase, verification: { key } });
    } catch (error) {
      await place.remove(name).catch((reason: Error) => output.warn(`${path} stays: ${reason.message}`, { path }));
      throw error;
    }
    output.info('verified', 'every file in it was read back and compared', { path });
    await place.record(entryOf(taken, name));
    const keep = options.keep ?? settings.keep;
    return { ...taken, removed: keep === undefined ? [] : await removeOld(folder, place, { keep, verified: name }) };
  };
  return withLock(folder.root, 'backup', take, 'backup-lock');
}

/** Removes what is older than the verified backup and those kept with it. */
async function removeOld(
  folder: BoxFolder,
  place: BackupPlace,
  { keep, verified }: { keep: number; verified: string },
): Promise<string[]> {
  const installation = await readInstallationId(folder);
  const removed = await removeOldBackups(place, { keep, verified, installation });
  const { WAL_ARCHIVE_FOLDER: archive } = await readSecrets(folder);
  if (archive) await pruneArchive(place, archive, installation);
  return removed;
}

/**
 * Lists the verified backups in a place, oldest first; those of the box by default.
 * @throws Failure not_installed without a box and a place
 */
export async function listBackups(dir: string, to?: string): Promise<{ folder: string; entries: CatalogueEntry[] }> {
  const folder = boxFolder(dir);
  if (to === undefined) await requireSettings(folder);
  const place = await placeOfBackups(folder, to);
  return { folder: place.address, entries: await place.entries() };
}

/** Opens the place in which backups of a box are. @throws Failure usage */
export async function placeOfBackups(folder: BoxFolder, to?: string, signal?: AbortSignal): Promise<BackupPlace> {
  const chosen = to ?? (await readBackupSettings(folder)).to ?? join(folder.root, 'backups');
  return openPlace(chosen, await placeOptions(folder, signal));
}

/** What a place needs besides its address: the settings of the box, if there is one. */
export async function placeOptions(folder: BoxFolder, signal?: AbortSignal): Promise<PlaceOptions> {
  const variables = await readSecrets(folder);
  return { variables, journal: join(folder.root, 'backups/.upload.json'), ...(signal && { signal }) };
}

/** Reads `backup.json`. */
export async function readBackupSettings(folder: BoxFolder): Promise<BackupSettings> {
  const text = await readFile(join(folder.root, 'backup.json'), 'utf8').catch(() => '{}');
  try {
    return JSON.parse(text) as BackupSettings;
  } catch {
    throw new Failure('usage', 'backup.json is invalid', `Run ${vendor} backup schedule again`);
  }
}

/** Writes `backup.json`. */
export async function writeBackupSettings(folder: BoxFolder, settings: BackupSettings): Promise<void> {
  await writeAtomically(join(folder.root, 'backup.json'), `${JSON.stringify(settings, null, 2)}\n`);
}

/** @throws Failure usage for a passphrase that is too short to protect anything */
export async function readPassphrase(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const passphrase = await readSecretFile(file);
  if (passphrase.length >= 12) return passphrase;
  throw new Failure(
    'usage',
    'the passphrase has less than 12 characters',
    'Use a longer one, such as five random words',
  );
}

function entryOf({ bytes, digest, head, record, encrypted }: TakenBackup, file: string): CatalogueEntry {
  const { release, time, installation } = head;
  return { file, release, time, bytes, digest, encrypted, segment: record.segment, installation };
}

/** Chooses the place and name of a new backup. @throws Failure usage if there is one of the name */
async function chooseName(
  folder: BoxFolder,
  { to, encrypted, signal }: { to: string | undefined; encrypted: boolean; signal: AbortSignal | undefined },
): Promise<PlacedBackup> {
  if (to !== undefined && isNameOfBackup(to)) {
    if (!isBucketAddress(to)) await requireFolderOf(resolve(to));
    const { place, name } = await openBackup(to, await placeOptions(folder, signal));
    if (!(await place.has(name))) return { place, name };
    throw new Failure('usage', `${place.addressOf(name)} exists already`, 'Choose another file');
  }
  const place = await placeOfBackups(folder, to, signal);
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${vendor}-${time}${number > 1 ? `-${number}` : ''}${encrypted ? encryptedEnding : ending}`;
    if (!(await place.has(name))) return { place, name };
  }
}
