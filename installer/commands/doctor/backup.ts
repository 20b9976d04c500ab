/**
 * What `doctor` says of backups, and `doctor --backup`, which proves the last one by restoring its database aside.
 */
import { randomBytes } from 'node:crypto';
import { chown, mkdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseDatabaseAccount, postgresProgram } from '../../backup/account.ts';
import { foreignWriters } from '../../backup/archive-access.ts';
import { type Archiving, readArchiving } from '../../backup/archiving.ts';
import { dumpPath } from '../../backup/external.ts';
import { databaseHome } from '../../backup/home.ts';
import { readBackupKey } from '../../backup/key.ts';
import type { CatalogueEntry } from '../../backup/place.ts';
import { digestOf, type ReadableBackup, readBackup } from '../../backup/read.ts';
import { passwordPath } from '../../backup/record.ts';
import { recover, restoreInto } from '../../backup/restore-database.ts';
import { isBucketAddress } from '../../backup/s3/address.ts';
import { checkSpaceFor } from '../../backup/space.ts';
import type { BoxFolder } from '../../box/folder.ts';
import { Failure } from '../../failure.ts';
import { megabytes, type Output } from '../../output/output.ts';
import { currentRelease } from '../../release/layout.ts';
import { vendor } from '../../vendor.ts';
import { placeOfBackups, readBackupSettings, readPassphrase } from '../backup/backup.ts';

export interface ProofOptions {
  passphraseFile?: string | undefined;
  output: Output;
  signal?: AbortSignal | undefined;
}

/** What a proof found. */
export interface Proof {
  entry: CatalogueEntry;
  /** Rows in all tables of the restored database; 0 for a dump, of which only the digests are compared. */
  rows: number;
}

/**
 * Restores the database of the last backup aside, compares it with what the backup says, and removes it.
 * @throws Failure usage if there is none; unverified, integrity_failed, disk_full, interrupted
 */
export async function proveLastBackup(folder: BoxFolder, options: ProofOptions): Promise<Proof> {
  const settings = await readBackupSettings(folder);
  const place = await placeOfBackups(folder, undefined, options.signal);
  const entry = (await place.entries()).at(-1);
  if (!entry) throw new Failure('usage', `there is no backup in ${place.address}`, `Run ${vendor} backup`);
  const passphrase = entry.encrypted
    ? await readPassphrase(options.passphraseFile ?? settings.passphraseFile)
    : undefined;
  const verification = { key: await readBackupKey(folder) };
  const rows = await restoreAside(folder, { place, name: entry.file, passphrase, verification }, options);
  await place.record({ ...entry, restored: new Date().toISOString() });
  return { entry, rows };
}

async function restoreAside(
  folder: BoxFolder,
  backup: ReadableBackup,
  { output, signal }: ProofOptions,
): Promise<number> {
  const { home, data } = await databaseHome(folder);
  const release = (await currentRelease(folder)) ?? '';
  const account = await chooseDatabaseAccount(data);
  await mkdir(home, { recursive: true });
  const digits = randomBytes(4).toString('hex');
  // Also the engine removes what a killed proof has left under this name.
  const aside = join(await realpath(home), `data.${digits}.partial`);
  const password = join(home, `password.${digits}.partial`);
  await mkdir(aside, { mode: 0o700 });
  if (account.borrowed) await chown(aside, account.uid, account.gid);
  const target = restoreInto(aside, password, account, { signal });
  try {
    const { head, manifest } = await readBackup(
      backup,
      ({ head }) => checkSpaceFor(home, head.bytes),
      async (entry) => {
        if (entry.isFolder) return target.folder(entry.path).then(() => '');
        const isDatabase = entry.path.startsWith('database/data/') || entry.path === passwordPath;
        return isDatabase && entry.path !== dumpPath ? target.file(entry.path, entry.content) : digestOf(entry);
      },
    );
    if (head.database === 'external') return 0;
    const program = await postgresProgram(folder, release, home, account);
    const counts = await recover({ program, account, data: aside, password }, manifest.record, { output, signal });
    return Object.values(counts).reduce((sum, count) => sum + count, 0);
  } finally {
    await target.abandon();
    await rm(password, { force: true });
  }
}

interface Result {
  state: 'ok' | 'warning' | 'problem';
  message: string;
  advice: string;
}

/** Says how old the last backup is. @param offline whether a bucket is not asked */
export async function checkLastBackup(folder: BoxFolder, offline: boolean, signal?: AbortSignal): Promise<Result> {
  const { every, to } = await readBackupSettings(folder);
  if (offline && to && isBucketAddress(to)) {
    return { state: 'ok', message: `the backups in ${to} were not looked at (offline)`, advice: '' };
  }
  const place = await placeOfBackups(folder, undefined, signal);
  const at = place.address;
  const last = (await place.entries()).at(-1);
  if (!last) {
    const advice = `Run ${vendor} backup schedule`;
    // A box that is new, or backed up by other means, has nothing wrong with it.
    if (every === undefined) return { state: 'ok', message: 'there is no backup yet, and none is scheduled', advice };
    return { state: 'problem', message: `there is no backup in ${at}`, advice: `Run ${vendor} backup to see why` };
  }
  const hours = (Date.now() - Date.parse(last.time)) / 3_600_000;
  const age = hours < 48 ? `${Math.round(hours)} hours` : `${Math.round(hours / 24)} days`;
  const message = `the last backup is ${age} old: ${place.addressOf(last.file)}`;
  if (every !== undefined && hours * 3600 > 2 * every) {
    return { state: 'problem', message, advice: `Run ${vendor} backup, and see why the scheduled ones fail` };
  }
  return { state: 'ok', message, advice: '' };
}

/** Says whether the archive of the WAL works. */
export async function checkArchive(folder: BoxFolder): Promise<Result> {
  const archiving = await readArchiving(folder);
  if (!archiving) return { state: 'ok', message: 'the write-ahead log is not archived', advice: '' };
  const { failing, walBytes, last } = archiving;
  const foreign = await foreignWriters(archiving.folder).catch(() => undefined);
  if (foreign !== undefined && !failing)
    return { state: 'problem', message: foreign, advice: `${vendor} restore --to-time refuses it: chmod -R go-w` };
  if (!failing)
    return {
      state: 'ok',
      message: `the write-ahead log is archived in ${archiving.folder} (${last ?? 'none yet'})`,
      advice: '',
    };
  return {
    state: 'problem',
    message: `${describeFailure(archiving)}; ${megabytes(walBytes)} of it are on the disk of the data`,
    advice: `See ${join((await databaseHome(folder)).home, 'postgresql.log')}, and restart the box after a change of WAL_ARCHIVE_FOLDER`,
  };
}

/** The words of `status` and `doctor` for an archive that does not work. */
export function describeFailure({ folder, last }: Archiving): string {
  return `the write-ahead log cannot be archived in ${folder} (last time: ${last ?? 'never'})`;
}
