/**
 * Points the knex command line at the same migrations as a box's start:
 * `DATABASE_URL=postgres://… npx knex --knexfile knexfile.ts migrate:status`
 */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectMigrations, loadPackages, migrationOwners, migratorSettings } from '@carton/runtime/service';
import { packagesOfTier } from '@carton/runtime/testing';

const here = fileURLToPath(import.meta.url);
const lockFile = process.env.BOX_PACKAGES && resolve(process.env.BOX_PACKAGES);
const names = lockFile
  ? Object.keys(JSON.parse(readFileSync(lockFile, 'utf8')).packages)
  : packagesOfTier('enterprise');
const owners = migrationOwners(await loadPackages(names, lockFile ?? resolve(dirname(here), 'package.json')));

export default {
  client: 'pg',
  connection: process.env.DATABASE_URL,
  migrations: migratorSettings(await collectMigrations(owners), owners),
};
