/**
 * The guard of an upgrade: it backs the database up before a migration runs, and puts the data back if the release fails.
 *
 * If all pending migrations are additive, the backup is taken while the box serves, the new release takes its place, and one
 * that fails is taken back by code alone: every order stays. Otherwise nobody may order while the data can still be put
 * back: the box is stopped, backed up, and the new release is checked at a private address before its port is opened.
 */
import { backUpDatabase } from '../backup/database.ts';
import { checkDump } from '../backup/external.ts';
import { provideBackupKey } from '../backup/key.ts';
import type { Launch } from '../box/environment.ts';
import { exchangeBox } from '../box/exchange.ts';
import type { BoxFolder } from '../box/folder.ts';
import type { WaitOptions } from '../box/replace.ts';
import type { RunningBox } from '../box/running.ts';
import { type BoxSecrets, type BoxSettings, readSecrets, writeSettings } from '../box/settings.ts';
import { asFailure, Failure } from '../failure.ts';
import { counted, type Output } from '../output/output.ts';
import { switchCurrent } from '../release/layout.ts';
import { migrationsOf } from '../release/migrations.ts';
import { vendor } from '../vendor.ts';
import { findKeptMigrations, keepMigrations, warnOfKept } from './kept-migrations.ts';
import { hasDatabase, pendingMigrations } from './pending.ts';
import {
  beginRecord,
  type Journal,
  pruneUpgrades,
  removeJournal,
  removeRecord,
  type UpgradedRelease,
  type UpgradeRecord,
  upgradeBackup,
  writeRecord,
} from './record.ts';
import { beginChange, removeFormerData, restoreBackup, untilDatabaseStopped } from './restore.ts';

export interface GuardedUpgrade {
  folder: BoxFolder;
  from: UpgradedRelease;
  to: UpgradedRelease;
  /** Those of the box after the upgrade. */
  settings: BoxSettings;
  secrets: BoxSecrets;
  /** Whether the operator has a backup of a database of their own. */
  ownBackup: boolean;
  signal?: AbortSignal | undefined;
}

export interface UpgradeGuard {
  /** Whether the box must be exchanged with its port closed; else it is replaced as usual. */
  readonly closed: boolean;
  /** Stops the box, backs it up, checks the new release at a private address and starts it. For `closed` only. */
  exchange(
    launches: { running: RunningBox | undefined; old: Launch | undefined; new: Launch },
    waitOptions: WaitOptions,
  ): Promise<RunningBox>;
  /** Records that the release is current, and removes old backups. */
  complete(): Promise<void>;
  /** Removes the record of an upgrade that was taken back. */
  abandon(): Promise<void>;
}

/**
 * Begins an upgrade whose release is on disk, and backs the database up if the box can serve meanwhile.
 * @param options.start false if the box is not started now: the backup is then taken at once
 * @throws Failure disk_full, usage if pg_dump is missing, interrupted; nothing has changed then
 */
export async function guardUpgrade(
  upgrade: GuardedUpgrade,
  options: { start: boolean },
  output: Output,
): Promise<UpgradeGuard> {
  const { folder, from, to, settings, secrets, signal } = upgrade;
  const { migrations } = await pendingMigrations(folder, from.release, await migrationsOf(folder, to.release));
  const isOwn = (await readSecrets(folder)).DATABASE_URL !== undefined;
  const isEmpty = !(await hasDatabase(folder));
  const kept = await findKeptMigrations(folder);
  warnOfKept(kept, output);
  const needsBackup = (migrations.length > 0 || kept.length > 0) && !isEmpty;
  const keptFrom = kept.length > 0 ? kept.map((each) => each.upgrade) : undefined;
  const record = await beginRecord(folder, { from, to, migrations, ...(keptFrom && { keptFrom }) });
  const changing = migrations.filter(({ additive }) => !additive);
  const closed = options.start && needsBackup && changing.length > 0;

  const backUp = async () => {
    if (isOwn && upgrade.ownBackup) {
      output.info('backup_skipped', 'no backup is taken: you have one of your own database', {
        migrations: migrations.length,
      });
      return;
    }
    const to = upgradeBackup(folder, record.id);
    const key = await provideBackupKey(folder, output, { shown: true });
    const backup = await explained(isOwn, backUpDatabase(folder, { to, key, output, signal }));
    record.backup = backup;
    await writeRecord(folder, record);
    const next = migrations.length > 0 ? `${counted(migrations.length, 'migration')} will be applied` : 'as it is now';
    output.info('backed_up', `the database is backed up; ${next}`, {
      upgrade: record.id,
      migrations: migrations.length,
      additive: changing.length === 0,
    });
  };
  let keepsMigrations = false;
  const abandon = async () => {
    // The backup is the only way back from migrations that the operator's database keeps.
    if (!keepsMigrations) await removeRecord(folder, record);
  };
  try {
    if (!needsBackup) {
      const why = isEmpty ? 'the box has no database yet' : 'no migration is pending';
      output.info('backup_skipped', `no backup is taken: ${why}`, { migrations: migrations.length });
    } else if (!closed) await backUp();
    else if (isOwn && !upgrade.ownBackup) await checkOwnBackup(folder);
  } catch (error) {
    await abandon();
    throw error;
  }

  return {
    closed,
    async exchange(launches, waitOptions) {
      const { journal, proceedTo } = await beginChange(folder, { kind: 'upgrade', upgrade: record.id, settings });
      output.info(
        'closing',
        `the port is closed until the new release has passed its check: not all migrations are additive`,
        { migrations: changing.map(({ file }) => file) },
      );
      const steps = {
        async stopped() {
          if (!isOwn) await untilDatabaseStopped(folder, output);
          await backUp();
          await proceedTo('checking');
        },
        async passed() {
          await proceedTo('passed');
          await switchCurrent(folder, to.release);
          await writeSettings(folder, settings, secrets);
        },
        async failed() {
          if (journal.step === 'passed') return false;
          if (journal.step === 'checking') {
            if (isOwn) keepsMigrations = await keepMigrations(folder, record, output);
            else if (record.backup) await putBack(folder, record, journal, output);
          }
          await removeJournal(folder);
          return true;
        },
      };
      const box = await exchangeBox(folder, { ...launches, steps }, output, waitOptions).catch((error) => {
        if (journal.step !== 'passed') throw error;
        const { code, message, advice, facts } = asFailure(error);
        const why = `the new release has passed its check and is installed, and does not start: ${message}`;
        throw new Failure(code, why, advice || `Run ${vendor} start`, { ...facts, restored: false });
      });
      await removeJournal(folder);
      return box;
    },
    async complete() {
      await writeRecord(folder, { ...record, state: 'done' });
      await pruneUpgrades(folder);
    },
    abandon,
  };
}

/** Puts the data back. What the failed release made of it is of no use: no shopper has seen it. */
async function putBack(folder: BoxFolder, record: UpgradeRecord, journal: Journal, output: Output): Promise<void> {
  await restoreBackup(folder, record, { output });
  await removeFormerData(folder, journal);
  output.info('data_restored', 'the data is as it was before the upgrade', { upgrade: record.id });
}

/**
 * Checks that a database of the operator's own can be backed up, before anything is stopped for it.
 * @throws Failure usage
 */
export async function checkOwnBackup(folder: BoxFolder): Promise<void> {
  const { DATABASE_URL } = await readSecrets(folder);
  if (DATABASE_URL) await explained(true, checkDump(DATABASE_URL));
}

function explained<T>(isOwn: boolean, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    const { code, message, advice, facts } = asFailure(error);
    if (!isOwn || code !== 'usage') throw error;
    const choice = `${advice}. If you have a backup, use ${vendor} upgrade --own-backup`;
    throw new Failure(code, `the database cannot be backed up before the migrations: ${message}`, choice, facts);
  });
}
