/**
 * Migrations that a database of the operator's own keeps of a release that failed its check: this command does not restore
 * such a database. The backup of before is the only way back from them until a release that has them is installed.
 */
import { join } from 'node:path';
import { dumpPath, replaceCommand } from '../backup/external.ts';
import type { BoxFolder } from '../box/folder.ts';
import { readSecrets } from '../box/settings.ts';
import { counted, type Output } from '../output/output.ts';
import { currentRelease } from '../release/layout.ts';
import { type Migration, migrationsOf } from '../release/migrations.ts';
import { appliedMigrations } from './pending.ts';
import { readRecords, type UpgradeRecord, upgradeBackup, writeRecord } from './record.ts';

export interface KeptMigrations {
  /** Id of the upgrade that failed. */
  upgrade: string;
  /** The release that failed its check: its version, or its id. */
  release: string;
  /** When the upgrade began, ISO 8601. */
  time: string;
  migrations: Migration[];
  /** The dump of before; absent if the operator chose a backup of their own. */
  dump?: string;
}

/**
 * Finds migrations in the operator's database that the current release does not have, of releases that failed. The oldest
 * failure is first. Without the database it counts all of theirs.
 */
export async function findKeptMigrations(folder: BoxFolder): Promise<KeptMigrations[]> {
  if (!(await readSecrets(folder)).DATABASE_URL) return [];
  const failed = (await readRecords(folder)).filter(({ state }) => state === 'taken_back').reverse();
  if (failed.length === 0) return [];
  const current = await currentRelease(folder);
  const present = new Set((current ? await migrationsOf(folder, current) : []).map(({ file }) => file));
  const applied = await appliedMigrations(folder);
  return failed.flatMap((record) => {
    const found = keptOf(folder, record, applied);
    return found?.migrations.some(({ file, additive }) => !additive && !present.has(file)) ? [found] : [];
  });
}

/** Additive migrations alone need no way back. */
function keptOf(
  folder: BoxFolder,
  record: UpgradeRecord,
  applied: ReadonlySet<string> | undefined,
): KeptMigrations | undefined {
  const { id, time, to, backup } = record;
  const migrations = record.migrations.filter(({ file }) => applied?.has(file) ?? true);
  if (migrations.every(({ additive }) => additive)) return undefined;
  const dump = backup?.kind === 'dump' && { dump: join(upgradeBackup(folder, id), dumpPath) };
  return { upgrade: id, release: to.version ?? to.release, time, migrations, ...dump };
}

/**
 * Keeps the record and the backup of an upgrade that was taken back, and says so, if its migrations are in a database of the
 * operator's own.
 * @returns whether they are
 */
export async function keepMigrations(folder: BoxFolder, record: UpgradeRecord, output: Output): Promise<boolean> {
  if (!(await readSecrets(folder)).DATABASE_URL) return false;
  const kept = keptOf(folder, record, await appliedMigrations(folder));
  if (!kept) return false;
  await writeRecord(folder, { ...record, state: 'taken_back' });
  warnOfKept([kept], output);
  return true;
}

/** Says what the operator's database keeps, and how it is undone. */
export function warnOfKept(kept: readonly KeptMigrations[], output: Output): void {
  for (const each of kept) {
    const { dump } = each;
    output.warn(`your database ${describeKept(each)}. The former release may not work with them. ${wayBackOf(each)}`, {
      risk: 'kept_migrations',
      migrations: each.migrations.map(({ file }) => file),
      ...(dump && { backup: dump }),
    });
  }
}

/** How the operator goes back to the data of before. */
export function wayBackOf({ dump, time }: KeptMigrations): string {
  if (!dump) return 'The only way back is your own backup of before';
  return `To go back to the data of ${time}, and lose what was written since, stop all boxes that use the database, then run: ${replaceCommand(dump)}`;
}

/** Such as `keeps 2 migrations of release 2.0.0, which failed its check (a.js, b.js)`. */
export function describeKept({ release, migrations }: KeptMigrations): string {
  const files = migrations.map(({ file }) => file);
  const named = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`;
  return `keeps ${counted(files.length, 'migration')} of release ${release}, which failed its check (${named})`;
}
