/**
 * Putting back the data of an upgrade's backup, and completing or undoing what a killed command has left.
 */
import { realpath, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readDatabaseFolder } from '../backup/database-folder.ts';
import { addedData, databaseHome, findServer, formerDataOf } from '../backup/home.ts';
import { readBackupKey } from '../backup/key.ts';
import { completeRestore, putFormerBack, restoreDatabase } from '../backup/restore-database.ts';
import type { Verification } from '../backup/seal.ts';
import { type BoxFolder, exists } from '../box/folder.ts';
import { findRunningBox } from '../box/running.ts';
import { readSecrets, writeBoxSettings } from '../box/settings.ts';
import { stopForGood } from '../box/stop-for-good.ts';
import type { Output } from '../output/output.ts';
import { currentRelease, switchCurrent } from '../release/layout.ts';
import { keepMigrations } from './kept-migrations.ts';
import {
  type Journal,
  readJournal,
  readRecords,
  removeJournal,
  removeRecord,
  type UpgradeRecord,
  upgradeBackup,
  writeJournal,
  writeRecord,
} from './record.ts';

/** A change of the database that was begun, and how it proceeds. */
export interface BegunChange {
  journal: Journal;
  proceedTo(step: Journal['step']): Promise<void>;
}

/** Writes the journal of a change that is about to begin. */
export async function beginChange(
  folder: BoxFolder,
  change: Pick<Journal, 'kind' | 'upgrade' | 'settings'>,
): Promise<BegunChange> {
  const journal: Journal = { ...change, step: 'prepared', formerData: await formerDataOf(folder) };
  const proceedTo = (step: Journal['step']) => {
    journal.step = step;
    return writeJournal(folder, journal);
  };
  await proceedTo('prepared');
  return { journal, proceedTo };
}

/** Whether a backup is used of which nothing shows that the box has written it: one of an earlier version of the command. */
export interface Allowed {
  allowUnverified?: boolean | undefined;
}

async function verificationOf(folder: BoxFolder, output: Output, { allowUnverified }: Allowed): Promise<Verification> {
  const warn = (reason: string) => output.warn(reason, { risk: 'unverified' });
  return { key: await readBackupKey(folder), allowUnverified, warn };
}

/** Verifies the seal of an upgrade's backup, before anything is stopped for it. @throws Failure unverified, integrity_failed */
export async function verifyUpgradeBackup(
  folder: BoxFolder,
  { id }: UpgradeRecord,
  output: Output,
  allowed: Allowed,
): Promise<void> {
  await readDatabaseFolder(upgradeBackup(folder, id), await verificationOf(folder, output, allowed));
}

/**
 * Replaces the data by that of the backup, in one step that a kill leaves done or not done. The replaced data stays, and is
 * named in the record.
 */
export async function restoreBackup(
  folder: BoxFolder,
  record: UpgradeRecord,
  { allowUnverified, ...options }: { output: Output; signal?: AbortSignal | undefined } & Allowed,
): Promise<void> {
  const from = upgradeBackup(folder, record.id);
  await untilDatabaseStopped(folder, options.output);
  const { WAL_ARCHIVE_FOLDER: archive } = await readSecrets(folder);
  const verification = await verificationOf(folder, options.output, { allowUnverified });
  const how = { from, verification, release: record.to.release, replace: true, archive, ...options };
  const { former } = await restoreDatabase(folder, how);
  if (former) record.replacedData = [...(record.replacedData ?? []), former];
  await writeRecord(folder, record);
}

/** A box that was replaced without a gap may still complete its requests, and run the database. */
const retirementSeconds = 120;

/** Waits until the embedded database has stopped, for two minutes. */
export async function untilDatabaseStopped(folder: BoxFolder, output: Output): Promise<void> {
  const { data } = await databaseHome(folder);
  const place = await realpath(data).catch(() => data);
  for (let seconds = 0; seconds < retirementSeconds && (await findServer(place)); seconds += 0.05) {
    output.waiting('waiting for the database to stop', seconds);
    await pause(50);
  }
}

/** Removes the folders of former data that a change has added. */
export async function removeFormerData(folder: BoxFolder, { formerData }: Journal): Promise<void> {
  for (const path of await addedData(folder, formerData)) await rm(path, { recursive: true, force: true });
}

/**
 * Puts the data back that a rollback has replaced by a backup on which the former release has failed. Nobody has used that.
 * The journal must say so before.
 */
export async function putReplacedBack(folder: BoxFolder, journal: Journal, record: UpgradeRecord): Promise<void> {
  await completeRestore(folder);
  for (const path of await addedData(folder, journal.formerData)) await putFormerBack(folder, path);
  // A kill may have come after the swap.
  const replaced = record.replacedData ?? [];
  const areThere = await Promise.all(replaced.map(exists));
  record.replacedData = replaced.filter((_, at) => areThere[at]);
  await writeRecord(folder, record);
}

/** What was found and done about a killed upgrade or rollback. */
export interface Resumed {
  kind: Journal['kind'];
  /** Whether it was completed; else it was undone. */
  completed: boolean;
  record: UpgradeRecord;
}

/**
 * Completes or undoes an upgrade or rollback that was killed while it changed the data. Call it with the lock, before
 * anything starts the box.
 * @returns undefined if there was none
 * @throws Failure unverified if it was begun by an earlier version of the command, and its backup must be restored
 */
export async function resumeUpgrade(
  folder: BoxFolder,
  output: Output,
  allowed: Allowed = {},
): Promise<Resumed | undefined> {
  const journal = await readJournal(folder);
  if (!journal) return undefined;
  const record = (await readRecords(folder)).find(({ id }) => id === journal.upgrade);
  if (!record) {
    await removeJournal(folder);
    return undefined;
  }
  await stopUnfinished(folder, output);
  const completed =
    journal.kind === 'upgrade'
      ? await resumeStep(folder, journal, record, output, allowed)
      : await resumeRollback(folder, journal, record);
  await removeJournal(folder);
  const target = completed === (journal.kind === 'upgrade') ? record.to : record.from;
  const what = `an interrupted ${journal.kind} was ${completed ? 'completed' : 'undone'}`;
  output.warn(`${what}: release ${target.version ?? target.release}`, { release: target.release });
  if (journal.kind === 'upgrade' && !completed) {
    const isKept = journal.step === 'checking' && (await keepMigrations(folder, record, output));
    if (!isKept) await removeRecord(folder, record);
  }
  return { kind: journal.kind, completed, record };
}

async function resumeStep(
  folder: BoxFolder,
  journal: Journal,
  record: UpgradeRecord,
  output: Output,
  allowed: Allowed,
): Promise<boolean> {
  if (journal.step === 'passed') {
    await switchCurrent(folder, record.to.release);
    await writeBoxSettings(folder, journal.settings);
    await writeRecord(folder, { ...record, state: 'done' });
    return true;
  }
  const { DATABASE_URL } = await readSecrets(folder);
  if (journal.step === 'checking' && record.backup && !DATABASE_URL) {
    await restoreBackup(folder, record, { output, ...allowed });
    await removeFormerData(folder, journal);
  }
  return false;
}

async function resumeRollback(folder: BoxFolder, journal: Journal, record: UpgradeRecord): Promise<boolean> {
  if (journal.step === 'putting_back') {
    await putReplacedBack(folder, journal, record);
    return false;
  }
  await completeRestore(folder);
  const added = await addedData(folder, journal.formerData);
  const isRestored = journal.step === 'passed' || (journal.step === 'restoring' && added.length > 0);
  if (!isRestored) return false;
  const replaced = new Set([...(record.replacedData ?? []), ...added]);
  if ((await currentRelease(folder)) !== record.from.release) await switchCurrent(folder, record.from.release);
  await writeBoxSettings(folder, journal.settings);
  await writeRecord(folder, { ...record, state: 'rolled_back', replacedData: [...replaced] });
  return true;
}

/** A killed command may have left a box that is being checked; nobody uses it. */
async function stopUnfinished(folder: BoxFolder, output: Output): Promise<void> {
  const running = await findRunningBox(folder);
  if (running) await stopForGood(folder, running, output, { force: true });
}
