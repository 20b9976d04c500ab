/**
 * The PostgreSQL server of tests, and the template of their databases, which has the tables of all packages.
 */
import { connect } from '../db/connection.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded.ts';
import { migrate } from '../db/migrations.ts';
import { migrationOwners } from '../engine/migrations.ts';
import { loadPackages } from '../package/load.ts';
import { administerAt, databaseOn } from './database.ts';
import { packagesOfTier, sourceRoot } from './packages.ts';

/** Starts a server with its data in this folder. It is not durable, as the data of tests is deleted. */
export function startTestServer(directory: string): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory,
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
  });
}

/** Creates the template on a server, in place of an earlier one. Returns its name, for TEST_TEMPLATE. */
export async function createTemplate(server: string): Promise<string> {
  const name = 'carton_template';
  await administerAt(server, `drop database if exists ${name}`, `create database ${name}`);
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const knex = connect({ url: databaseOn(server, name) });
  try {
    await migrate(knex, migrationOwners(packages));
  } finally {
    await knex.destroy();
  }
  return name;
}
