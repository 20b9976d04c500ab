/**
 * The migrations of all packages as one list, each applied exactly once (contract, "What the service does", 4).
 * Applied migrations are tracked as a set, not by the newest one: a package bought later brings older timestamps, and
 * they run.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { isCitus } from './citus/detect.ts';
import { createShardLockFunction } from './citus/placements.ts';
import { runDistributed } from './citus/tables.ts';
import { endIndexBuild, migrationLock } from './index-lock.ts';
import { createPolicies, seeAllTenants } from './row-security.ts';
import { refuseKeysWithoutTenant } from './tenant-keys.ts';

/** A package with migrations. */
export interface MigrationOwner {
  fullName: string;
  folder: string;
  boxTables?: readonly string[];
}

export interface Migration {
  /** Full npm name of the package. */
  package: string;
  /** File name, unique across packages: `20260301120000_cart_create_carts.js`. */
  file: string;
  path: string;
  sha256: string;
}

export interface MigrationReport {
  applied: Migration[];
  /** Applied earlier by a package that this box no longer has; their tables stay. */
  orphaned: { package: string; file: string }[];
}

const fileName = /^\d{14}_[a-z0-9_]+\.js$/;
const recordTable = 'applied_migrations';

/**
 * Collects `migrations/*.js` of every package, in the order of their timestamps.
 * @throws Error naming two files that have the same name, or a file without a timestamp in its name
 */
export async function collectMigrations(owners: readonly MigrationOwner[]): Promise<Migration[]> {
  const lists = await Promise.all(owners.map(migrationsOf));
  const migrations = lists.flat().sort((a, b) => (a.file < b.file ? -1 : 1));
  for (const [index, migration] of migrations.entries()) {
    const previous = migrations[index - 1];
    if (previous?.file === migration.file) {
      throw new Error(`two migrations are called ${migration.file}: ${previous.path} and ${migration.path}`);
    }
  }
  return migrations;
}

async function migrationsOf({ fullName, folder }: MigrationOwner): Promise<Migration[]> {
  const directory = join(folder, 'migrations');
  const files = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(
    files
      .filter((file) => file.endsWith('.js'))
      .map(async (file) => {
        const path = join(directory, file);
        if (!fileName.test(file)) throw new Error(`${path}: a migration must be named <14 digits>_<name>.js`);
        const sha256 = createHash('sha256')
          .update(await readFile(path))
          .digest('hex');
        return { package: fullName, file, path, sha256 };
      }),
  );
}

/** The functions that a migration file exports. */
const load = ({ path }: Migration) => import(pathToFileURL(path).href);

/** Checks and protects the tables that migrations have created, and records the migrations, in their transaction. */
async function complete(transaction: Knex, applied: readonly Migration[], boxTables: readonly string[]): Promise<void> {
  await refuseKeysWithoutTenant(transaction, boxTables);
  await createPolicies(transaction);
  await transaction(recordTable).insert(
    applied.map(({ package: owner, file, sha256 }) => ({ package: owner, file, sha256 })),
  );
}

function boxTablesOf(owners: readonly MigrationOwner[]): string[] {
  return owners.flatMap((owner) => owner.boxTables ?? []);
}

/** The source of migrations, both for the start of the engine and for the knex command line (knexfile.ts). */
export function migrationSource(migrations: readonly Migration[], owners: readonly MigrationOwner[]) {
  const boxTables = boxTablesOf(owners);
  return {
    getMigrations: async () => [...migrations],
    getMigrationName: (migration: Migration) => migration.file,
    getMigration: async (migration: Migration): Promise<Knex.Migration> => {
      const module = await load(migration);
      return {
        // The migration, its check and its record are one transaction: a kill leaves all or nothing.
        async up(transaction) {
          // The command line of knex may be the first that migrates this database.
          await createRecordTable(transaction);
          await seeAllTenants(transaction);
          if (await isCitus(transaction)) await runDistributed(transaction, module.up);
          else await module.up(transaction);
          await complete(transaction, [migration], boxTables);
        },
        async down(transaction) {
          await seeAllTenants(transaction);
          if (await isCitus(transaction)) await runDistributed(transaction, module.down);
          else await module.down(transaction);
          await transaction(recordTable).where({ file: migration.file }).delete();
        },
      };
    },
  };
}

/** Settings of knex's migrator, the same for the engine and the command line. */
export function migratorSettings(migrations: readonly Migration[], owners: readonly MigrationOwner[]) {
  return {
    migrationSource: migrationSource(migrations, owners),
    // An applied file may be missing (its package left the entitlement): `migrate` compares the lists instead.
    disableMigrationsListValidation: true,
    tableName: 'knex_migrations',
  };
}

/**
 * Applies the pending migrations, each in one transaction with its record; those of an empty database in one transaction
 * for all. Several runtimes may call it concurrently: one works, the others wait and then find nothing pending.
 * @param announce called before each migration
 * @throws Error naming an applied file whose content has changed, or the migration that failed
 */
export async function migrate(
  knex: Knex,
  owners: readonly MigrationOwner[],
  announce: (migration: Migration, position: number, count: number) => void = () => {},
): Promise<MigrationReport> {
  const migrations = await collectMigrations(owners);
  return withMigrationLock(knex, async () => {
    await createRecordTable(knex);
    const records: { package: string; file: string; sha256: string }[] = await knex(recordTable).select();
    const applied = new Map(records.map((record) => [record.file, record]));
    refuseEdited(migrations, applied);
    const pending = migrations.filter((migration) => !applied.has(migration.file));
    const settings = migratorSettings(migrations, owners);
    if (pending.length > 0) await endIndexBuild(knex);
    // A runtime killed during a migration leaves knex's own lock behind; the holder of the advisory lock may clear it.
    if (pending.length > 0) await knex.migrate.forceFreeMigrationsLock(settings);
    const atOnce = records.length === 0 && (await migrateAtOnce(knex, pending, owners, announce));
    for (const [index, migration] of (atOnce ? [] : pending).entries()) {
      announce(migration, index + 1, pending.length);
      await knex.migrate.up({ ...settings, name: migration.file }).catch((error: Error) => {
        throw new Error(`migration ${migration.file} of ${migration.package} failed: ${error.message}`, {
          cause: error,
        });
      });
    }
    // For tables that were created before there were policies, or before the database was distributed.
    await knex.transaction(async (transaction) => {
      await seeAllTenants(transaction);
      if (await isCitus(transaction)) {
        await runDistributed(transaction, createShardLockFunction);
      }
      await createPolicies(transaction);
    });
    const present = new Set(migrations.map((migration) => migration.file));
    const orphaned = records.filter((record) => !present.has(record.file));
    return { applied: pending, orphaned };
  });
}

/**
 * Applies the migrations of an empty database in one transaction, and checks their tables once at its end, which takes a
 * quarter of the time. A kill leaves the database empty.
 * @returns false if it cannot be done and nothing has changed: one by one, the migrations succeed or name the cause
 */
async function migrateAtOnce(
  knex: Knex,
  migrations: readonly Migration[],
  owners: readonly MigrationOwner[],
  announce: (migration: Migration, position: number, count: number) => void,
): Promise<boolean> {
  if (migrations.length === 0 || (await isCitus(knex))) return false;
  const settings = migratorSettings(migrations, owners);
  await knex.migrate.list(settings); // creates knex's tables
  try {
    await knex.transaction(async (transaction) => {
      for (const [index, migration] of migrations.entries()) {
        announce(migration, index + 1, migrations.length);
        await (await load(migration)).up(transaction);
      }
      await complete(transaction, migrations, boxTablesOf(owners));
      const time = transaction.fn.now();
      await transaction(settings.tableName).insert(
        migrations.map(({ file }) => ({ name: file, batch: 1, migration_time: time })),
      );
    });
    return true;
  } catch {
    return false;
  }
}

function refuseEdited(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, { sha256: string; package: string }>,
) {
  for (const { file, sha256, package: owner, path } of migrations) {
    const record = applied.get(file);
    if (record && record.package !== owner) {
      throw new Error(`migration ${file} was applied by ${record.package} and is now in ${owner}: ${path}`);
    }
    if (record && record.sha256 !== sha256) {
      throw new Error(`migration ${file} was applied and has been edited since: restore ${path}`);
    }
  }
}

async function createRecordTable(knex: Knex): Promise<void> {
  await knex.raw(`create table if not exists ${recordTable} (
    file text primary key,
    package text not null,
    sha256 text not null,
    applied_at timestamptz(3) not null default now()
  )`);
}

/** Runs work that only one runtime may do at a time, under a lock that PostgreSQL releases when the session ends. */
export async function withMigrationLock<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  const connection = await knex.client.acquireConnection();
  try {
    await connection.query('select pg_advisory_lock($1)', [migrationLock]);
    return await work();
  } finally {
    await connection.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => {});
    knex.client.releaseConnection(connection);
  }
}

/** File names of migrations: those of these packages, applied or pending, and those applied for other packages. */
export interface MigrationState {
  applied: string[];
  pending: string[];
  orphaned: string[];
}

/** Compares the migrations of these packages with the applied ones. */
export async function migrationState(knex: Knex, migrations: readonly Migration[]): Promise<MigrationState> {
  const records: { file: string }[] = await knex(recordTable).select('file');
  const applied = new Set(records.map(({ file }) => file));
  const present = new Set(migrations.map(({ file }) => file));
  return {
    applied: [...present].filter((file) => applied.has(file)),
    pending: [...present].filter((file) => !applied.has(file)),
    orphaned: [...applied].filter((file) => !present.has(file)),
  };
}

/** File names of the pending migrations of these packages; empty means the database is ready. */
export async function pendingMigrations(knex: Knex, migrations: readonly Migration[]): Promise<string[]> {
  return (await migrationState(knex, migrations)).pending;
}
