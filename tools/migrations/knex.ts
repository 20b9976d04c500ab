/**
 * What the command line of knex migrates, and with which migrations: those of all packages, or those of a box.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import {
  collectMigrations,
  loadPackages,
  migrationOwners,
  migratorSettings,
  poolSettings,
  startEmbeddedPostgres,
} from '@carton/runtime/service';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import pg from 'pg';

/** Milliseconds of waiting for the PostgreSQL of a box that starts. */
const timeout = 2000;

/** The database of an installed box: its own, or the embedded one, which the box must have started. */
async function databaseOfBox(folder: string): Promise<string> {
  const secrets = join(folder, 'box.env');
  const url = existsSync(secrets) && parseEnv(readFileSync(secrets, 'utf8')).DATABASE_URL;
  if (url) return url;
  const signal = AbortSignal.timeout(timeout);
  try {
    const directory = join(folder, 'data', 'postgresql');
    return (await startEmbeddedPostgres({ directory, joinOnly: true, signal })).url;
  } catch (error) {
    if (error !== signal.reason) throw error;
    throw new Error(`The PostgreSQL of the box in ${folder} does not run. Start the box: carton start --dir ${folder}`);
  }
}

function boxFolder(name: string | undefined): string | undefined {
  if (!name) return undefined;
  const folder = resolve(name);
  if (existsSync(join(folder, 'box.json'))) return folder;
  throw new Error(`CARTON_BOX_DIR must be the folder of an installed box, and ${folder} is not.`);
}

/** The lock file with the packages of the box, or undefined for all packages of these sources. */
function lockFileOf(folder: string | undefined, name: string | undefined): string | undefined {
  const path = name ? resolve(name) : folder && join(folder, 'current', 'carton.lock.json');
  if (path && !existsSync(path)) throw new Error(`${path} is missing: BOX_PACKAGES names the lock file of a box.`);
  return path;
}

/** @throws Error that says why the database accepts no connection, without the password in its URL */
async function checkConnection(url: string): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new Error('DATABASE_URL must be a URL such as postgres://user:password@host:5432/database.');
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    const { host, pathname } = new URL(url);
    throw new Error(`The database ${pathname.slice(1)} at ${host} accepts no connection: ${(error as Error).message}.`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * The settings of knex for the database of DATABASE_URL, or of the box that is installed in the folder CARTON_BOX_DIR;
 * BOX_PACKAGES names the lock file of another installation.
 * @throws Error that says what is missing
 */
export async function knexSettings({ DATABASE_URL, BOX_PACKAGES, CARTON_BOX_DIR }: NodeJS.ProcessEnv) {
  const folder = boxFolder(CARTON_BOX_DIR);
  const lockFile = lockFileOf(folder, BOX_PACKAGES);
  const url = DATABASE_URL || (folder && (await databaseOfBox(folder)));
  if (!url) {
    throw new Error(
      'No database is named. Set DATABASE_URL=postgres://… to its URL, or CARTON_BOX_DIR to the folder of an installed ' +
        'box, which must be running.',
    );
  }
  await checkConnection(url);
  const names = lockFile
    ? Object.keys(JSON.parse(readFileSync(lockFile, 'utf8')).packages)
    : packagesOfTier('enterprise');
  const owners = migrationOwners(await loadPackages(names, lockFile ?? sourceRoot));
  return {
    ...poolSettings({ url, applicationName: 'knex' }),
    // The one of knex, which says what to do about a lock.
    log: undefined,
    migrations: migratorSettings(await collectMigrations(owners), owners),
  };
}
