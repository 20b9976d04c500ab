/**
 * The command lines of `backup`.
 */
import { chooseOutput } from '../../output/choose.ts';
import { counted, megabytes } from '../../output/output.ts';
import { vendor } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { type BackupOptions, type BackupResult, backup, listBackups } from './backup.ts';
import { describeSchedule, type ScheduleOptions, schedule } from './schedule.ts';

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
