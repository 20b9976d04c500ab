/**
 * The engine as a source of migrations, beside the packages: of the tables that it queries itself. Those of its tables
 * that are older came with @carton/core and stay where they were applied from; what is new stands in
 * `runtime/migrations/` and joins the same list.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationOwner } from '../db/migrations.ts';
import { packageName } from '../vendor.ts';

/** The folder of the engine's own package.json: two above this file, and above the one it is built into. */
const folder = dirname(dirname(fileURLToPath(import.meta.url)));

const engine: MigrationOwner = { fullName: packageName('runtime'), folder, boxTables: ['session_keys'] };

/** All whose migrations a box applies: the engine, and its packages. */
export function migrationOwners(packages: readonly MigrationOwner[], own: MigrationOwner = engine): MigrationOwner[] {
  return [own, ...packages];
}
