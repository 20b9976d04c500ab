/**
 * The PostgreSQL server of tests, and the template of their databases, which has the tables of all packages.
 */
import { randomBytes } from 'node:crypto';
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

/**
 * Creates the template on a server. Returns its name, for TEST_TEMPLATE. The name is new: the server may have databases
 * with data, and no test replaces one.
 */
export async function createTemplate(server: string): Promise<string> {
  const name = `test_template_${randomBytes(8).toString('hex')}`;
  await administerAt(server, `create database ${name}`);
  const packages = await loadPackages(packagesOfTier('enterprise'), sourceRoot);
  const knex = connect({ url: databaseOn(server, name) });
  try {
    await migrate(knex, migrationOwners(packages));
  } finally {
    await knex.destroy();
  }
  return name;
}

/** Drops the template at the end of a run, with what is left of the databases made from it, from a server that stays. */
export async function dropTemplate(server: string, template: string): Promise<void> {
  const found = await administerAt(
    server,
    `select datname as name from pg_database where datname = '${template}' or starts_with(datname, '${template}_')`,
  );
  for (const { name } of found) await administerAt(server, `drop database if exists ${name} with (force)`);
}
