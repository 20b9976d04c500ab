/**
 * Prepares the database of a box: applies migrations as the owner of the tables and creates the box's role.
 */
import type { Logger } from 'pino';
import { isCitus } from '../db/citus/detect.ts';
import { openDatabase } from '../db/database.ts';
import { withMigrationLock } from '../db/migrations.ts';
import { prepareRuntimeRole } from '../db/row-security.ts';
import { startPatience } from '../db/start-patience.ts';
import { migrationOwners } from '../engine/migrations.ts';
import type { LoadedPackage } from '../package/load.ts';
import { applyMigrations } from '../start-service/migrations.ts';

/** Applies the migrations and creates the role. Returns how the box connects: with which role, and whether to Citus. */
export async function prepareDatabase(url: string, packages: readonly LoadedPackage[], log: Logger) {
  const { knex, close } = openDatabase({ url, applicationName: 'box start', acquireTimeout: startPatience });
  try {
    const owners = migrationOwners(packages);
    await applyMigrations(knex, owners, log);
    const boxTables = owners.flatMap((owner) => owner.boxTables ?? []);
    const { role, enforced, summary } = await withMigrationLock(knex, () => prepareRuntimeRole(knex, boxTables));
    log[enforced ? 'info' : 'warn'](summary);
    const distributed = await isCitus(knex);
    if (distributed) log.info('the tables are distributed by Citus');
    return { role, distributed };
  } finally {
    await close();
  }
}
