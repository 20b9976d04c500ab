/**
 * The command lines of `backup` and `restore`.
 */

import { chooseOutput } from '../output/choose.ts';
import { counted, megabytes } from '../output/output.ts';
import { readServiceUrl } from '../service-urls.ts';
import { vendor } from '../vendor.ts';
import { type BackupOptions, type BackupResult, backup, listBackups } from './backup.ts';
import { askForBackupKey } from './backup-key.ts';
import { describeSchedule, type ScheduleOptions, schedule } from './backup-schedule.ts';
import { abortOnSignals, runCommand } from './common.ts';
import { type RestoreResult, restore } from './restore.ts';
import { readSecretFile } from './secret-file.ts';

interface Common {
  dir: string;
  json?: boolean;
}

/** Runs `backup` and sets the exit status. */
export async function runBackup({ json, ...options }: Common & BackupOptions): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const result = await backup({ ...options, signal: abortOnSignals() }, output);
    output.result(result, describe(result));
    return 0;
  });
}

function describe({ path, bytes, head, record, files, encrypted, key, removed }: BackupResult): string[] {
  const counts = record.counts ? `, ${Object.values(record.counts).reduce((sum, count) => sum + count, 0)} rows` : '';
  const media =
    head.media.storage === 's3'
      ? `not included: they are in the bucket ${head.media.bucket}, which you back up yourself`
      : counted(files, 'file');
  return [
    `${path} (${megabytes(bytes)}, readable by you alone)`,
    `database  ${head.database}, as of ${record.time}${counts}`,
    `media     ${media}`,
    `release   ${head.release}, ${head.tier} tier`,
    `sealed    with the backup key ${key}, which is in no backup: keep a copy of it elsewhere`,
    ...(removed.length > 0 ? [`removed   ${removed.join(', ')}`] : []),
    encrypted
      ? 'It is encrypted. Without the passphrase nobody can read it, you included.'
      : 'It contains secrets and personal data, and is not encrypted: use --passphrase-file for a copy elsewhere.',
    `Restore it with ${vendor} restore ${path} --dir <empty folder> ${encrypted ? '--passphrase-file <path>' : '--backup-key-file <your copy>'}`,
  ];
}

/** Runs `backup list` and sets the exit status. */
export async function runBackupList({ dir, json, to }: Common & { to?: string }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const result = await listBackups(dir, to);
    const lines = result.entries.map(
      ({ file, time, bytes, restored }) =>
        `${time}  ${megabytes(bytes).padStart(12)}  ${file}${restored ? '  restored as a test' : ''}`,
    );
    output.result(result, lines.length > 0 ? lines : [`No backups in ${result.folder}.`]);
    return 0;
  });
}

/** Runs `backup schedule` and sets the exit status. */
export async function runBackupSchedule({ json, ...options }: Common & ScheduleOptions): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const result = await schedule(options);
    output.result(result, describeSchedule(result));
    return 0;
  });
}

interface RestoreLine extends Common {
  backup: string;
  passphraseFile?: string;
  replace?: boolean;
  toTime?: string;
  archive?: string;
  databaseUrlFile?: string;
  keyFile?: string;
  backupKeyFile?: string;
  allowUnverified?: boolean;
  controlPlane?: string;
}

/** Runs `restore` and sets the exit status. */
export async function runRestore({
  json,
  backup: path,
  databaseUrlFile,
  keyFile,
  controlPlane,
  ...options
}: RestoreLine): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const databaseUrl = databaseUrlFile && (await readSecretFile(databaseUrlFile));
    const licenseKey = keyFile && (await readSecretFile(keyFile));
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY && !json;
    const result = await restore(
      {
        ...options,
        path,
        ...(controlPlane && { controlPlaneUrl: readServiceUrl(controlPlane, 'the control plane') }),
        ...(isInteractive && { askForBackupKey }),
        ...(databaseUrl && { databaseUrl }),
        ...(licenseKey && { licenseKey }),
        signal: abortOnSignals(),
      },
      output,
    );
    output.result(result, describeRestored(result));
    return 0;
  });
}

function describeRestored({ dir, head, record, counts, files, former, verifiedBy, leftOut }: RestoreResult): string[] {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return [
    `The box is restored in ${dir}.`,
    `database  ${rows} rows in ${Object.keys(counts).length} tables, as of ${record.time}`,
    `media     ${head.media.storage === 's3' ? `in the bucket ${head.media.bucket}` : counted(files, 'file')}`,
    `release   ${head.release}`,
    `verified  ${verifiedBy === 'nothing' ? 'no' : `by the ${verifiedBy}: it is as the box has written it at ${head.time}`}`,
    ...(leftOut.length > 0
      ? [`left out  ${leftOut.join(', ')}: of box.env, only settings are restored; add what this machine needs`]
      : []),
    ...(former.length > 0
      ? ['What was there before stays until you remove it:', ...former.map((path) => `  ${path}`)]
      : []),
    `Start it with ${vendor} start --dir ${dir}.`,
  ];
}
