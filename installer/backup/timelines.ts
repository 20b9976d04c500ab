/**
 * Recovery to a time from an archive of the write-ahead log (WAL), whose timelines fork where data was put back.
 *
 * PostgreSQL begins a timeline each time `rollback --with-data` or `restore --replace` puts data back, and `<id>.history` in
 * the archive has its ancestors, each with the place at which it was left. The newest one is followed from a backup that is
 * on it or on what it came from. A backup of data that was replaced later is on a branch, and reaches the times of this
 * branch only. Source: PostgreSQL 18, "Timelines".
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { positionOf } from './base-backup.ts';
import type { BackupPlace, CatalogueEntry } from './place.ts';

/** What a recovery follows after the end of the backup. */
export interface Recovery {
  /** The moment, ISO 8601. */
  time: string;
  archive: string;
  /** Where the last part of the WAL may be that has not been archived: with the data that is replaced. */
  last: string;
}

/** The settings of PostgreSQL for it. @param timeline `current` is that of the backup */
export function recoverySettings({ time, archive, last }: Recovery, timeline: 'latest' | 'current') {
  return {
    recovery_target_time: time.replace('T', ' ').replace('Z', '+00'),
    recovery_target_inclusive: 'on',
    recovery_target_timeline: timeline,
    restore_command: `cp ${quotePath(archive)}/%f "%p" 2>/dev/null || cp ${quotePath(last)}/%f "%p" 2>/dev/null`,
  };
}

/** Quotes a path for a shell in a setting of PostgreSQL, where `%` begins a placeholder. */
export function quotePath(path: string): string {
  return `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}

/**
 * Whether PostgreSQL says that a backup is not on the timeline that it was to follow. It misses the checkpoint of the backup
 * where the archive has the same segment of that timeline. Nothing has been written then.
 */
export function isOffTimeline({ message }: Failure): boolean {
  return /is not a child of this server's history|does not contain minimum recovery point|could not locate required checkpoint/.test(
    message,
  );
}

/** Says how far a recovery came that did not reach its time; another failure is returned as it is. */
export function explainEnd(failure: Failure, { time, archive }: Recovery, isBranch: boolean): Failure {
  if (!/recovery ended before configured recovery target was reached/.test(failure.message)) return failure;
  const [, day, clock] = /last completed transaction was at log time (\S+) ([\d:.]+)/.exec(failure.message) ?? [];
  const until = day ? new Date(`${day}T${clock}Z`).toISOString() : 'that of the backup';
  return isBranch
    ? new Failure(
        'usage',
        `the backup does not reach ${time}: it is of data that a rollback or a restore has replaced, whose last transaction is of ${until}`,
        '',
        { isBranch },
      )
    : new Failure(
        'usage',
        `the archive ${archive} does not reach ${time}: its last transaction is of ${until}`,
        'Nothing was changed. Use that time or an earlier one',
      );
}

/** Names the newest backup of a place that reaches the moment on the newest timeline. */
export async function adviseBackup(place: BackupPlace, recovery: Recovery, installation?: string): Promise<string> {
  const newest = await newestTimeline([recovery.archive, recovery.last]);
  const fitting = (await place.entries()).filter(
    (entry) =>
      entry.installation === installation && Date.parse(entry.time) <= Date.parse(recovery.time) && isOn(newest, entry),
  );
  const found = fitting.at(-1);
  if (found) return `Nothing was changed. Use ${place.addressOf(found.file)}, which reaches it`;
  return `Nothing was changed. No backup in ${place.address} reaches it (${vendor} backup list shows all). Take one after each rollback --with-data and restore`;
}

interface Timeline {
  id: number;
  /** Where each ancestor was left, in bytes of the WAL. */
  ancestors: Map<number, bigint>;
}

/** Reads the history of the newest timeline that the archive has. PostgreSQL counts them without gaps. */
async function newestTimeline(folders: readonly string[]): Promise<Timeline> {
  let id = 1;
  let text = '';
  for (;;) {
    const name = `${(id + 1).toString(16).toUpperCase().padStart(8, '0')}.history`;
    const found = await readFirst(folders.map((folder) => join(folder, name)));
    if (found === undefined) break;
    id += 1;
    text = found;
  }
  const lines = [...text.matchAll(/^(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gm)];
  return { id, ancestors: new Map(lines.map(([, ancestor, end]) => [Number(ancestor), positionOf(end as string)])) };
}

async function readFirst(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** That of the embedded database: PostgreSQL's default. */
const segmentBytes = 16n * 1024n * 1024n;

/** Whether a backup was taken on a timeline, or on an ancestor before it was left. A backup begins a segment of its own. */
function isOn({ id, ancestors }: Timeline, { segment }: CatalogueEntry): boolean {
  if (!segment) return false;
  const [timeline, high, low] = [0, 8, 16].map((at) => Number.parseInt(segment.slice(at, at + 8), 16));
  if (timeline === id) return true;
  const left = ancestors.get(timeline as number);
  return left !== undefined && (BigInt(high as number) << 32n) + BigInt(low as number) * segmentBytes <= left;
}
