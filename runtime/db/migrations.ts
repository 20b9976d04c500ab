/**
 * The migrations of all packages as one list, each applied exactly once (contract, "What the service does", 4).
 * What has run is a set, never a high-water mark: a package bought later brings older timestamps, and they run.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import { isCitus } from './citus/detect.ts';
import { createShardLockFunction } from './citus/placements.ts';
import { runDistributed } from './citus/tables.ts';
import { createPolicies, seeAllTenants } from './row-security.ts';
import { refuseKeysWithoutTenant } from './tenant-keys.ts';

/** A package as far as migrations go. */
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
  /** Applied earlier by a package that this box no longer has: kept, with its tables. */
  orphaned: { package: string; file: string }[];
}

const fileName = /^\d{14}_[a-z0-9_]+\.js$/;
const recordTable = 'applied_migrations';
/** Any fixed number: runtimes that start at once wait for each other on it. */
const advisoryLock = 7_261_903_415;

/**
 * Collects `migrations/*.js` of every package, in the order of their time stamps.
 * @throws Error naming both files when two have one name, or a file whose name has no time stamp
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
        if (!fileName.test(file)) throw new Error(`${path}: a migration is called <14 digits>_<name>.js`);
        const sha256 = createHash('sha256')
          .update(await readFile(path))
          .digest('hex');
        return { package: fullName, file, path, sha256 };
      }),
  );
}

/** The one source of migrations: for the engine's start and for the knex command line (knexfile.ts). */
export function migrationSource(migrations: readonly Migration[], owners: readonly MigrationOwner[]) {
  const boxTables = owners.flatMap((owner) => owner.boxTables ?? []);
  return {
    getMigrations: async () => [...migrations],
    getMigrationName: (migration: Migration) => migration.file,
    getMigration: async (migration: Migration): Promise<Knex.Migration> => {
      const module = await import(pathToFileURL(migration.path).href);
      return {
        // The record and the check belong to the same transaction as the work: a kill leaves all of it or nothing.
        async up(transaction) {
          await seeAllTenants(transaction);
          if (await isCitus(transaction)) await runDistributed(transaction, module.up);
          else await module.up(transaction);
          await refuseKeysWithoutTenant(transaction, boxTables);
          await createPolicies(transaction);
          const { package: owner, file, sha256 } = migration;
          await transaction(recordTable).insert({ package: owner, file, sha256 });
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
    // An applied file may be missing (its package left the entitlement): what has run is compared here instead.
    disableMigrationsListValidation: true,
    tableName: 'knex_migrations',
  };
}

/**
 * Applies what has not run yet, each migration in one transaction with its record. Several runtimes may do so at once:
 * one works, the others wait and find nothing left.
 * @param announce is told of each migration before it runs
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
    // A runtime killed while it migrated leaves knex's own mark behind; whoever holds the advisory lock may clear it.
    if (pending.length > 0) await knex.migrate.forceFreeMigrationsLock(settings);
    for (const [index, migration] of pending.entries()) {
      announce(migration, index + 1, pending.length);
      await knex.migrate.up({ ...settings, name: migration.file }).catch((error: Error) => {
        throw new Error(`migration ${migration.file} of ${migration.package} failed: ${error.message}`, {
          cause: error,
        });
      });
    }
    // Tables of migrations that ran before there were policies, and before the database was distributed.
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

function refuseEdited(
  migrations: readonly Migration[],
  applied: ReadonlyMap<string, { sha256: string; package: string }>,
) {
  for (const { file, sha256, package: owner, path } of migrations) {
    const record = applied.get(file);
    if (record && record.package !== owner) {
      throw new Error(`migration ${file} was applied by ${record.package} and now stands in ${owner}: ${path}`);
    }
    if (record && record.sha256 !== sha256) {
      throw new Error(`migration ${file} was applied and has been edited since: put ${path} back as it was`);
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

/** Work that one runtime does at a time, under a lock that PostgreSQL drops by itself when its holder dies. */
export async function withMigrationLock<T>(knex: Knex, work: () => Promise<T>): Promise<T> {
  const connection = await knex.client.acquireConnection();
  try {
    await connection.query('select pg_advisory_lock($1)', [advisoryLock]);
    return await work();
  } finally {
    await connection.query('select pg_advisory_unlock($1)', [advisoryLock]).catch(() => {});
    knex.client.releaseConnection(connection);
  }
}

/** Names of migrations: those of the packages that are here, run or not, and those run for packages that are not. */
export interface MigrationState {
  applied: string[];
  pending: string[];
  orphaned: string[];
}

/** Holds the migrations of these packages against what has run. */
export async function migrationState(knex: Knex, migrations: readonly Migration[]): Promise<MigrationState> {
  const records: { file: string }[] = await knex(recordTable).select('file');
  const run = new Set(records.map(({ file }) => file));
  const here = new Set(migrations.map(({ file }) => file));
  return {
    applied: [...here].filter((file) => run.has(file)),
    pending: [...here].filter((file) => !run.has(file)),
    orphaned: [...run].filter((file) => !here.has(file)),
  };
}

/** Names of migrations of these packages that have not run; empty means the database is ready. */
export async function pendingMigrations(knex: Knex, migrations: readonly Migration[]): Promise<string[]> {
  return (await migrationState(knex, migrations)).pending;
}
