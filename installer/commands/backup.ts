/**
 * `backup`: takes a backup of a box, verifies what was written, and removes those that are too old.
 */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  addToCatalogue,
  type CatalogueEntry,
  pruneArchive,
  readCatalogue,
  removeOldBackups,
} from '../backup/catalogue.ts';
import { verifyBackup } from '../backup/read.ts';
import { type TakenBackup, takeBackup } from '../backup/take.ts';
import { writeAtomically } from '../box/files.ts';
import { type BoxFolder, boxFolder, checkOwner, exists } from '../box/folder.ts';
import { readInstallationId } from '../box/installation.ts';
import { withLock } from '../box/lock.ts';
import { readSecrets, requireSettings } from '../box/settings.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { vendor } from '../vendor.ts';
import { readSecretFile } from './secret-file.ts';

export interface BackupOptions {
  dir: string;
  /** Folder, or file that ends with `.tar.zst` or `.enc`; by default that of the schedule, or `backups` in the folder. */
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
  // Not the lock of the folder: a box must start after a crash, also during a long backup.
  return withLock(join(folder.root, 'backups'), 'backup', async () => {
    const settings = await readBackupSettings(folder);
    const passphrase = await readPassphrase(options.passphraseFile ?? settings.passphraseFile);
    const path = await choosePath(folder, options.to ?? settings.to, passphrase !== undefined);
    await removePartials(dirname(path));
    const taken = await takeBackup(folder, { path, passphrase, output, signal: options.signal });
    output.info('taken', `backup written: ${path}`, { path, bytes: taken.bytes });
    try {
      await verifyBackup({ path, passphrase });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    output.info('verified', 'every file in it was read back and compared', { path });
    await addToCatalogue(dirname(path), entryOf(taken));
    const keep = options.keep ?? settings.keep;
    const installation = await readInstallationId(folder);
    const removed =
      keep === undefined ? [] : await removeOldBackups(dirname(path), { keep, verified: basename(path), installation });
    const { WAL_ARCHIVE_FOLDER: archive } = await readSecrets(folder);
    if (archive && keep !== undefined) await pruneArchive(dirname(path), archive, installation);
    return { ...taken, removed };
  });
}

/** Lists the backups of the box in its folder of backups, oldest first. */
export async function listBackups(dir: string, to?: string): Promise<{ folder: string; entries: CatalogueEntry[] }> {
  const folder = boxFolder(dir);
  await requireSettings(folder);
  const at = await folderOfBackups(folder, to);
  return { folder: at, entries: await readCatalogue(at) };
}

/** Returns the folder in which backups of a box are. */
export async function folderOfBackups(folder: BoxFolder, to?: string): Promise<string> {
  return resolve(to ?? (await readBackupSettings(folder)).to ?? join(folder.root, 'backups'));
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

function entryOf({ path, bytes, digest, head, record, encrypted }: TakenBackup): CatalogueEntry {
  const { release, time, installation } = head;
  return { file: basename(path), release, time, bytes, digest, encrypted, segment: record.segment, installation };
}

async function choosePath(folder: BoxFolder, to: string | undefined, encrypted: boolean): Promise<string> {
  if (to !== undefined && /\.(zst|enc)$/.test(to)) {
    const path = resolve(to);
    if (await exists(path)) throw new Failure('usage', `${path} exists already`, 'Choose another file');
    await requireFolder(dirname(path));
    return path;
  }
  const at = await folderOfBackups(folder, to);
  await mkdir(at, { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${vendor}-${time}${number > 1 ? `-${number}` : ''}${encrypted ? encryptedEnding : ending}`;
    if (!(await exists(join(at, name)))) return join(at, name);
  }
}

async function requireFolder(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined);
  if (!status?.isDirectory()) throw new Failure('usage', `${path} is not a folder`, 'Create it first');
}

/** Removes what killed backups have left. */
async function removePartials(at: string): Promise<void> {
  for (const name of await readdir(at)) {
    if (name.startsWith(`.${vendor}-`) && name.endsWith('.partial')) await rm(join(at, name), { force: true });
  }
}
