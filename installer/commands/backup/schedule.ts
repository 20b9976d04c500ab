/**
 * `backup schedule`: backups at intervals, by a timer of systemd beside the service of the box, or by the scheduler that
 * the machine has.
 */
import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isNameOfBackup } from '../../backup/open-place.ts';
import { isBucketAddress } from '../../backup/s3/address.ts';
import { commandWords } from '../../box/command-words.ts';
import { writeAtomically } from '../../box/files.ts';
import { boxFolder } from '../../box/folder.ts';
import { requireSettings } from '../../box/settings.ts';
import { Failure } from '../../failure.ts';
import { findService, system, unitFolder } from '../../service/systemd.ts';
import { backupTimer } from '../../service/timer.ts';
import { vendor } from '../../vendor.ts';
import {
  type BackupSettings,
  placeOfBackups,
  readBackupSettings,
  readPassphrase,
  writeBackupSettings,
} from './backup.ts';

export interface ScheduleOptions {
  dir: string;
  /** Such as `1d`, `6h` or `30m`. */
  every?: string | undefined;
  keep?: number | undefined;
  to?: string | undefined;
  passphraseFile?: string | undefined;
  off?: boolean | undefined;
}

export interface ScheduleResult {
  settings: BackupSettings;
  /** The timer of systemd, if there is one. */
  timer?: string;
  /** The line for cron without a timer. */
  cron?: string;
}

/** @throws Failure not_installed, usage, folder_unusable */
export async function schedule(options: ScheduleOptions): Promise<ScheduleResult> {
  const folder = boxFolder(options.dir);
  await requireSettings(folder);
  const before = await readBackupSettings(folder);
  const service = await findService(folder.root);
  const name = service && `${service}-backup`;
  if ((name || before.timer) && process.getuid?.() !== 0) {
    throw new Failure('usage', 'only root may change units of systemd', `Run sudo ${vendor} backup schedule …`);
  }
  if (options.off) {
    const { every: _every, timer, ...settings } = before;
    if (timer) await removeTimer(timer);
    await writeBackupSettings(folder, settings);
    return { settings };
  }
  const every = parseInterval(options.every ?? (before.every ? `${before.every}s` : '1d'));
  const keep = options.keep ?? before.keep ?? 7;
  if (keep < 1) throw new Failure('usage', 'at least one backup must be kept', 'Use --keep 1 or more');
  const to = options.to ?? before.to;
  if (to !== undefined && isNameOfBackup(to)) {
    throw new Failure('usage', `${to} is a file`, 'Name a folder: each backup has its own file in it');
  }
  const passphraseFile = options.passphraseFile ?? before.passphraseFile;
  await readPassphrase(passphraseFile);
  // A bucket that cannot be used is named now, and not by the first backup at night.
  if (to !== undefined && isBucketAddress(to)) await (await placeOfBackups(folder, to)).entries();
  const settings: BackupSettings = {
    every,
    keep,
    ...(to && { to: isBucketAddress(to) ? to : resolve(to) }),
    ...(passphraseFile && { passphraseFile: resolve(passphraseFile) }),
    ...(name && { timer: name }),
  };
  await writeBackupSettings(folder, settings);
  const command = [...commandWords(), 'backup', '--dir', folder.root];
  if (!name) return { settings, cron: cronLine(every, command) };
  const { uid, gid } = await stat(folder.root);
  const writable = settings.to && !isBucketAddress(settings.to) ? [settings.to] : [];
  const units = backupTimer({ dir: folder.root, uid, gid, command, every, writable });
  for (const [kind, text] of Object.entries(units)) await writeAtomically(join(unitFolder, `${name}.${kind}`), text);
  await system('systemctl', 'daemon-reload');
  await system('systemctl', 'enable', '--now', `${name}.timer`);
  return { settings, timer: `${name}.timer` };
}

/** Removes a timer and its service. @param name without `.timer` */
export async function removeTimer(name: string): Promise<void> {
  await system('systemctl', 'disable', '--now', `${name}.timer`).catch(() => undefined);
  for (const kind of ['timer', 'service']) await rm(join(unitFolder, `${name}.${kind}`), { force: true });
  await system('systemctl', 'daemon-reload');
}

/** Parses `1d`, `6h`, `30m`. @returns seconds @throws Failure usage */
export function parseInterval(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? 0);
  if (seconds >= 60) return seconds;
  throw new Failure('usage', `${text} is not an interval`, 'Use a number with m, h or d, such as 6h or 1d');
}

function cronLine(every: number, command: readonly string[]): string {
  const words = command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  const minutes = Math.round(every / 60);
  if (minutes < 60) return `*/${minutes} * * * * ${words}`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return `7 */${hours} * * * ${words}`;
  return `7 3 */${Math.round(hours / 24)} * * ${words}`;
}

/** What runs backups, for people. */
export function describeSchedule({ settings, timer, cron }: ScheduleResult): string[] {
  if (settings.every === undefined) return ['No backups are scheduled.'];
  const what = `A backup every ${formatInterval(settings.every)}; the last ${settings.keep} stay`;
  if (timer) return [`${what}.`, `timer   ${timer} (systemctl list-timers ${timer})`];
  return [
    `${what}, once something starts them: no service runs this box (${vendor} service install).`,
    `crontab   ${cron}`,
  ];
}

/** Formats seconds as `1 d`. */
export function formatInterval(seconds: number): string {
  const [unit, size] = seconds % 86_400 === 0 ? ['d', 86_400] : seconds % 3600 === 0 ? ['h', 3600] : ['min', 60];
  return `${Math.round(seconds / (size as number))} ${unit}`;
}
