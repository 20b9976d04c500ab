/**
 * Records of upgrades, in `upgrades/<id>/`: what was changed, and the backup that was taken before. A rollback undoes the
 * newest one that is done. The last two backups stay.
 *
 *   upgrades/<id>/upgrade.json   the record
 *   upgrades/<id>/database/      the backup, if a migration was pending (backup/database.ts)
 *   upgrades/journal.json        a change of the data in progress; the next command completes or undoes it
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseRecord } from '../backup/database.ts';
import { writeAtomically } from '../box/files.ts';
import type { BoxFolder } from '../box/folder.ts';
import type { BoxSettings } from '../box/settings.ts';
import type { Migration } from '../release/migrations.ts';

/** How many backups of upgrades stay. */
export const keptBackups = 2;

export interface UpgradedRelease {
  /** Its id, the folder in `releases`. */
  release: string;
  /** The vendor's version of it; absent if the box was installed by a command that did not record it. */
  version?: string | undefined;
  tier: string;
}

export interface UpgradeRecord {
  id: string;
  /** ISO 8601 */
  time: string;
  from: UpgradedRelease;
  to: UpgradedRelease;
  /** Those that were pending. */
  migrations: Migration[];
  state: 'started' | 'done' | 'taken_back' | 'rolled_back';
  /** What the backup says of itself; absent without one. */
  backup?: DatabaseRecord;
  /** Upgrades that failed, whose migrations the operator's database had before this one. Their records stay with this. */
  keptFrom?: string[];
  /** Folders of data that was replaced by this backup; they are removed with the record. */
  replacedData?: string[];
}

/** A change of the data in progress. */
export interface Journal {
  kind: 'upgrade' | 'rollback';
  /** Id of the record. */
  upgrade: string;
  /**
   * `prepared`: nothing has changed. `checking`: the new release may have migrated the data; no shopper can reach it.
   * `passed`: the new release counts. `restoring`: the data is replaced in one step, by renames. `putting_back`: the former
   * release has failed on it, and what it has replaced is put back.
   */
  step: 'prepared' | 'checking' | 'passed' | 'restoring' | 'putting_back';
  /** The settings of the box once it is complete. */
  settings: BoxSettings;
  /** Names of the folders with former data, before the step `restoring`. */
  formerData: string[];
}

const recordName = 'upgrade.json';

/** Returns the folder of the backup of an upgrade. */
export function upgradeBackup(folder: BoxFolder, id: string): string {
  return join(folder.upgrades, id, 'database');
}

/** Creates the record of an upgrade that begins. */
export async function beginRecord(
  folder: BoxFolder,
  { from, to, migrations, keptFrom }: Pick<UpgradeRecord, 'from' | 'to' | 'migrations' | 'keptFrom'>,
): Promise<UpgradeRecord> {
  const time = new Date().toISOString();
  const id = `${time.replace(/[-:]|\.\d+/g, '')}-${randomBytes(2).toString('hex')}`;
  const record: UpgradeRecord = { id, time, from, to, migrations, ...(keptFrom && { keptFrom }), state: 'started' };
  await writeRecord(folder, record);
  return record;
}

/** Writes a record, which then is on disk. */
export async function writeRecord(folder: BoxFolder, record: UpgradeRecord): Promise<void> {
  await mkdir(join(folder.upgrades, record.id), { recursive: true, mode: 0o700 });
  await writeAtomically(join(folder.upgrades, record.id, recordName), `${JSON.stringify(record, null, 2)}\n`, 0o600);
}

/** Reads all records, the newest first. */
export async function readRecords(folder: BoxFolder): Promise<UpgradeRecord[]> {
  const records: UpgradeRecord[] = [];
  for (const name of (await readdir(folder.upgrades).catch(() => [])).sort().reverse()) {
    const text = await readFile(join(folder.upgrades, name, recordName), 'utf8').catch(() => undefined);
    if (text !== undefined) records.push(JSON.parse(text) as UpgradeRecord);
  }
  return records;
}

/** Removes a record with its backup, and data that it names. */
export async function removeRecord(folder: BoxFolder, { id, replacedData = [] }: UpgradeRecord): Promise<void> {
  for (const path of replacedData) await rm(path, { recursive: true, force: true });
  await rm(join(folder.upgrades, id), { recursive: true, force: true });
}

/** Counts the backups, with the bytes of all files of upgrades. */
export async function measureUpgradeBackups(folder: BoxFolder): Promise<{ count: number; bytes: number }> {
  const count = (await readRecords(folder)).filter(({ backup }) => backup).length;
  let bytes = 0;
  const entries = await readdir(folder.upgrades, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
  }
  return { count, bytes };
}

const journalPath = (folder: BoxFolder) => join(folder.upgrades, 'journal.json');

export async function writeJournal(folder: BoxFolder, journal: Journal): Promise<void> {
  await writeAtomically(journalPath(folder), JSON.stringify(journal), 0o600);
}

export async function readJournal(folder: BoxFolder): Promise<Journal | undefined> {
  const text = await readFile(journalPath(folder), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Journal);
}

export async function removeJournal(folder: BoxFolder): Promise<void> {
  await rm(journalPath(folder), { force: true });
}

/**
 * Removes records whose backup is older than the last two, with the data that was replaced by them. Records without a
 * backup stay as long as the newest kept one, and those of failed upgrades as long as one that names them.
 */
export async function pruneUpgrades(folder: BoxFolder): Promise<void> {
  let backups = 0;
  const needed = new Set<string>();
  for (const record of await readRecords(folder)) {
    const { id, backup, keptFrom = [] } = record;
    if (!needed.has(id) && backups >= keptBackups) {
      await removeRecord(folder, record);
      continue;
    }
    for (const earlier of keptFrom) needed.add(earlier);
    if (backup && !needed.has(id)) backups += 1;
  }
}
