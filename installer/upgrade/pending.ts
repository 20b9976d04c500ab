/**
 * Which migrations an upgrade applies, and what each kind of way back needs.
 */
import { measureDatabase } from '../backup/database.ts';
import { databaseHome, hasData, withDatabase } from '../backup/home.ts';
import type { BoxFolder } from '../box/folder.ts';
import { readSecrets } from '../box/settings.ts';
import { asFailure } from '../failure.ts';
import { currentRelease } from '../release/layout.ts';
import { inOrder, type Migration, migrationsOf } from '../release/migrations.ts';

export interface PendingMigrations {
  migrations: Migration[];
  /** Where it is known from which migrations are applied: the database, or the installed release while that cannot be asked. */
  from: 'database' | 'installed release';
}

/** Whether the box has a database. One of the operator's own counts as one. */
export async function hasDatabase(folder: BoxFolder): Promise<boolean> {
  if ((await readSecrets(folder)).DATABASE_URL) return true;
  return hasData((await databaseHome(folder)).data);
}

/**
 * Returns those of a new release's migrations that its start would apply.
 * @param current id of the installed release; undefined without one
 */
export async function pendingMigrations(
  folder: BoxFolder,
  current: string | undefined,
  migrations: readonly Migration[],
): Promise<PendingMigrations> {
  const applied = await appliedMigrations(folder);
  if (applied) return { migrations: without(migrations, applied), from: 'database' };
  const present = new Set((current ? await migrationsOf(folder, current) : []).map(({ file }) => file));
  return { migrations: without(migrations, present), from: 'installed release' };
}

/** Leaves out those that are applied. Those of a package of which none is are additive if they change its tables only. */
function without(migrations: readonly Migration[], applied: ReadonlySet<string>): Migration[] {
  const known = new Set(migrations.filter(({ file }) => applied.has(file)).map((each) => each.package));
  return migrations
    .filter(({ file }) => !applied.has(file))
    .map(({ additiveIfNew, ...each }) => ({
      ...each,
      additive: each.additive || (additiveIfNew === true && !known.has(each.package)),
    }));
}

/** The migrations of an upgrade, and the backup before them. */
export interface PlannedBackup {
  migrations: Migration[];
  migrationsFrom: PendingMigrations['from'];
  backup: boolean;
  /** About its size; 0 for a dump, whose size is unknown. */
  backupBytes: number;
}

/**
 * Plans the backup before the migrations of a release that is not on disk yet.
 * @param options.ownBackup whether the operator has one of a database of their own
 * @param options.kept whether that database keeps migrations of a release that failed
 */
export async function planBackup(
  folder: BoxFolder,
  packages: readonly { migrations: readonly Migration[] }[],
  { ownBackup = false, kept = false }: { ownBackup?: boolean | undefined; kept?: boolean } = {},
): Promise<PlannedBackup> {
  const all = inOrder(packages.flatMap((each) => each.migrations));
  const { migrations, from } = await pendingMigrations(folder, await currentRelease(folder), all);
  const isOwn = (await readSecrets(folder)).DATABASE_URL !== undefined;
  const isNeeded = migrations.length > 0 || kept;
  const backup = isNeeded && (await hasDatabase(folder)) && !(isOwn && ownBackup);
  return { migrations, migrationsFrom: from, backup, backupBytes: backup ? await measureDatabase(folder) : 0 };
}

/** Returns the file names of the migrations in the database; undefined if it does not run. */
export async function appliedMigrations(folder: BoxFolder): Promise<Set<string> | undefined> {
  try {
    return await withDatabase(folder, async (client) => {
      const { rows: found } = await client.query("select to_regclass('applied_migrations') is not null as exists");
      if (!found[0].exists) return new Set<string>();
      const { rows } = await client.query<{ file: string }>('select file from applied_migrations');
      return new Set(rows.map(({ file }) => file));
    });
  } catch (error) {
    if (asFailure(error).code === 'not_running') return undefined;
    throw error;
  }
}
