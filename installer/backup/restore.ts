/**
 * Restoring a backup of a box into a folder. Everything is restored aside and verified before anything of the box changes;
 * what was there before stays beside it. A restore that was killed begins again.
 */
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { flush } from '@carton/durable-files';
import { flushTree, writeAtomically } from '../box/files.ts';
import { type BoxFolder, exists } from '../box/folder.ts';
import { keepInstallationId } from '../box/installation.ts';
import { type BoxSettings, quoteValue, readSecrets, writeBoxSettings } from '../box/settings.ts';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { ArchiveEntry } from './archive.ts';
import { type Counts, countRows } from './counts.ts';
import { dumpPath, restoreDump } from './external.ts';
import { databaseHome, hasData, withConnection } from './home.ts';
import { keepBackupKey } from './key.ts';
import type { PlacedBackup } from './place.ts';
import { type BackupStart, readBackup } from './read.ts';
import type { DatabaseRecord } from './record.ts';
import { beginRestore, type DatabaseRestore } from './restore-database.ts';
import { restoredSecrets, restoredSettings } from './restored-settings.ts';
import type { Verification, VerifiedBy } from './seal.ts';
import { writeFileOf } from './sink.ts';
import { checkSpaceFor } from './space.ts';
import { type BackupHead, paths } from './take.ts';
import type { Recovery } from './timelines.ts';

export interface RestoreBoxOptions extends PlacedBackup {
  passphrase?: string | undefined;
  /** How the backup is shown to be as the box has written it. */
  verification: Verification;
  /** Whether an existing box is replaced; its data and settings stay aside. */
  replace: boolean;
  /** The URL of an empty database, for the backup of a box with one of the operator's. */
  databaseUrl?: string | undefined;
  /** What the recovery follows after the end of the backup. */
  recovery?: Recovery | undefined;
  output: Output;
  signal?: AbortSignal | undefined;
}

/** What the backup says of the release and the settings. */
export interface RestoredSettings {
  head: BackupHead;
  lock: string;
  settings: BoxSettings;
  /** The text of `box.env`, of which only declared settings are restored. */
  secrets: string;
  verifiedBy: VerifiedBy;
}

/** A restored box, which does not run yet. */
export interface RestoredBox {
  head: BackupHead;
  record: DatabaseRecord;
  counts: Counts;
  /** How many files besides the database. */
  files: number;
  /** What was there before, and stays until you remove it. */
  former: string[];
  verifiedBy: VerifiedBy;
  /** Names of variables in the backup's `box.env` that are no settings, and were left out. */
  leftOut: string[];
}

const markerFile = '.restoring.json';

/** @throws Failure usage if there is a box, or data of one, unless it is replaced or a restore was interrupted */
export async function checkReplaced(folder: BoxFolder, replace: boolean): Promise<void> {
  const isInterrupted = await exists(join(folder.root, markerFile));
  if (replace || isInterrupted) return;
  const { data } = await databaseHome(folder);
  const found = (await exists(folder.settings)) ? folder.settings : (await hasData(data)) ? data : undefined;
  if (!found) return;
  throw new Failure(
    'usage',
    `there is a box in ${folder.root} (${found})`,
    'Choose an empty folder with --dir, or add --replace, which keeps the former data and settings aside',
  );
}

/**
 * Returns the archive of the WAL that the box in the folder writes, if the backup is of that box. A copy in another folder
 * must leave the archive alone: it would fork the timeline of the box that goes on writing it.
 */
async function archiveOfReplaced(folder: BoxFolder, secrets: string): Promise<string | undefined> {
  const archive = parseEnv(secrets).WAL_ARCHIVE_FOLDER;
  return (await readSecrets(folder)).WAL_ARCHIVE_FOLDER === archive ? archive : undefined;
}

/**
 * Restores a backup.
 * @param provideRelease pulls the release, or finds it in the folder
 * @throws Failure usage, integrity_failed, disk_full, busy, interrupted: nothing of an existing box has changed then
 */
export async function restoreBox(
  folder: BoxFolder,
  options: RestoreBoxOptions,
  provideRelease: (restored: RestoredSettings) => Promise<string>,
): Promise<RestoredBox> {
  await checkReplaced(folder, options.replace);
  const aside = join(folder.data, '.restored-files');
  await rm(aside, { recursive: true, force: true });
  let database: DatabaseRestore | undefined;
  let release = '';
  let files = 0;
  const known = new Set<string>();
  let settings: BoxSettings | undefined;

  const begin = async ({ head, texts, verifiedBy }: BackupStart) => {
    checkDatabase(head, options);
    await checkSpaceFor(folder.root, head.bytes);
    settings = restoredSettings(texts[paths.settings] ?? '', options.place.addressOf(options.name));
    const secrets = texts[paths.secrets] ?? '';
    release = await provideRelease({ head, lock: texts[paths.lock] ?? '', settings, secrets, verifiedBy });
    await mkdir(folder.data, { recursive: true });
    if (head.database === 'embedded') {
      const { recovery, output, signal } = options;
      // A restore that was killed may have put the data in its place already.
      const archive = await archiveOfReplaced(folder, secrets);
      const how = { ...(recovery && { recovery }), archive, output, signal };
      database = await beginRestore(folder, { release, replace: true, ...how });
    }
  };
  const putAside = async (entry: ArchiveEntry, name: string) => {
    const names = name.split('/');
    const isOutside = names.some((part) => part === '' || part === '.' || part === '..');
    // The database is restored apart, and compared.
    if (isOutside || names[0] === 'postgresql') {
      throw new Failure(
        'integrity_failed',
        `the backup has a file at a wrong place: ${entry.path}`,
        'Use another backup',
      );
    }
    const target = join(aside, ...names);
    if (!known.has(dirname(target))) await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    known.add(dirname(target));
    return writeFileOf(target, entry.content);
  };
  const use = async (entry: ArchiveEntry): Promise<string> => {
    if (entry.isFolder) {
      await database?.folder(entry.path);
      return '';
    }
    if (entry.path.startsWith(`${paths.files}/`)) {
      files += 1;
      return putAside(entry, entry.path.slice(paths.files.length + 1));
    }
    if (entry.path === dumpPath) return putAside(entry, '.database.dump');
    if (database) return database.file(entry.path, entry.content);
    throw new Failure(
      'integrity_failed',
      `the backup has a file at a wrong place: ${entry.path}`,
      'Use another backup',
    );
  };

  try {
    const { head, texts, verifiedBy, key, manifest } = await readBackup(options, begin, use);
    const secrets = await restoredSecrets(folder, release, texts[paths.secrets] ?? '');
    const restore = database as DatabaseRestore | undefined;
    const counts = restore ? await restore.recover(manifest.record) : await loadDump(aside, options);
    await flushTree(folder.data);
    const backup = options.place.addressOf(options.name);
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    await writeAtomically(join(folder.root, markerFile), `${JSON.stringify({ backup, time })}\n`);
    const former = [
      ...(await swapFiles(folder, aside, time)),
      ...((await restore?.swap().then((path) => (path ? [path] : []))) ?? []),
      ...(await writeSettingsOf(folder, secrets.text, settings as unknown as BoxSettings, options, time)),
    ];
    // A box that moves keeps its key.
    if (key) await keepBackupKey(folder, key);
    const { leftOut } = secrets;
    return { head, record: manifest.record, counts, files, former, verifiedBy, leftOut };
  } catch (error) {
    await (database as DatabaseRestore | undefined)?.abandon();
    await rm(aside, { recursive: true, force: true });
    throw asFailure(error);
  }
}

/** Removes the mark of a restore in progress: call it once the box can be started. */
export async function finishRestore(folder: BoxFolder): Promise<void> {
  await rm(join(folder.root, markerFile), { force: true });
  await flush(folder.root);
}

function checkDatabase({ database }: BackupHead, { databaseUrl, place, name, recovery }: RestoreBoxOptions): void {
  const path = place.addressOf(name);
  if (database === 'external' && !databaseUrl) {
    throw new Failure(
      'usage',
      `${path} has a dump of a database of your own`,
      'Create an empty database, and pass its URL with --database-url-file',
    );
  }
  if (database === 'embedded' && databaseUrl) {
    throw new Failure('usage', `${path} has the box's own database`, 'Leave out --database-url-file');
  }
  if (database === 'external' && recovery) {
    throw new Failure('usage', `${path} has a dump, which has one time only`, 'Leave out --to-time');
  }
}

async function loadDump(aside: string, { databaseUrl = '', output, signal }: RestoreBoxOptions): Promise<Counts> {
  const connection = { connectionString: databaseUrl };
  const before = await withConnection(connection, countRows);
  if (Object.keys(before).length > 0) {
    throw new Failure('usage', 'the database is not empty', 'Create another one for the restore');
  }
  await restoreDump(databaseUrl, join(aside, '.database.dump'), output, signal);
  await rm(join(aside, '.database.dump'));
  return withConnection(connection, countRows);
}

/** Puts the files in their places; what has the same name stays beside them. */
async function swapFiles(folder: BoxFolder, aside: string, time: string): Promise<string[]> {
  const former: string[] = [];
  for (const name of await readdir(aside).catch(() => [])) {
    const place = join(folder.data, name);
    if (await exists(place)) {
      former.push(`${place}.before-${time}`);
      await rename(place, `${place}.before-${time}`);
    }
    await rename(join(aside, name), place);
  }
  await rm(aside, { recursive: true, force: true });
  await flush(folder.data);
  await ownLikeBox(folder);
  return former;
}

/** Files that root restores into the folder of another user are that user's. */
async function ownLikeBox(folder: BoxFolder): Promise<void> {
  const { uid, gid } = await stat(folder.root);
  if (process.getuid?.() !== 0 || uid === 0) return;
  for (const entry of await readdir(folder.data, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!path.startsWith(join(folder.data, 'postgresql'))) await chown(path, uid, gid);
  }
}

/** Writes the settings, `box.json` last: then a box is installed. The former ones stay beside them. */
async function writeSettingsOf(
  folder: BoxFolder,
  secrets: string,
  settings: BoxSettings,
  { databaseUrl }: RestoreBoxOptions,
  time: string,
): Promise<string[]> {
  const former: string[] = [];
  for (const path of [folder.secrets, folder.settings]) {
    if (!existsSync(path)) continue;
    former.push(`${path}.before-${time}`);
    await writeAtomically(`${path}.before-${time}`, await readFile(path, 'utf8'), 0o600);
  }
  await writeAtomically(folder.secrets, placed(secrets, databaseUrl), 0o600);
  await writeBoxSettings(folder, settings);
  return former;
}

/** `box.env` as it is right in this folder: media are in `data/media`, and the database may be another one. */
function placed(text: string, databaseUrl: string | undefined): string {
  const lines = text.split('\n').filter((line) => !/^\s*(export\s+)?MEDIA_FOLDER\s*=\s*['"]?\//.test(line));
  if (!databaseUrl) return lines.join('\n');
  const others = lines.filter((line) => !/^\s*(export\s+)?DATABASE_URL\s*=/.test(line));
  while (others.at(-1) === '') others.pop();
  return [...others, `DATABASE_URL=${quoteValue('DATABASE_URL', databaseUrl)}`, ''].join('\n');
}

/** Keeps the id of the installation that the backup is of: a box that moves stays the same installation. */
export async function keepInstallation(folder: BoxFolder, { installation }: BackupHead): Promise<void> {
  if (installation) await keepInstallationId(folder, installation);
}
