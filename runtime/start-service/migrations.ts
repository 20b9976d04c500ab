/**
 * The migrations at the start of a service.
 */
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type MigrationOwner, migrate } from '../db/migrations.ts';

/** Applies pending migrations and logs them. @throws Error as `migrate` does */
export async function applyMigrations(knex: Knex, owners: readonly MigrationOwner[], log: Logger): Promise<void> {
  const { applied, orphaned } = await migrate(knex, owners, (migration, position, count) =>
    log.info({ migration: migration.file, package: migration.package, position, count }, 'migrating'),
  );
  log.info({ applied: applied.length, orphaned: orphaned.length }, 'migrations are applied');
}
