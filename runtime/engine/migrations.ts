/**
 * The engine's migrations, for the tables that it queries itself. The older ones are part of @carton/core, where they
 * were applied from and must stay; new ones are in `runtime/migrations/`. All are in the same list as those of
 * packages.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationOwner } from '../db/migrations.ts';
import { packageName } from '../vendor.ts';

/** The folder of the engine's package.json: the parent of this file's folder, and also of the folder of the build. */
const folder = dirname(dirname(fileURLToPath(import.meta.url)));

const engine: MigrationOwner = { fullName: packageName('runtime'), folder, boxTables: ['session_keys'] };

/** The owners of the migrations that a box applies: the engine and the packages. */
export function migrationOwners(packages: readonly MigrationOwner[], own: MigrationOwner = engine): MigrationOwner[] {
  return [own, ...packages];
}
