/**
 * The backup of an operator's own database (`DATABASE_URL`), by pg_dump and pg_restore: this command brings no clients of
 * PostgreSQL, so it uses those of the machine if they are at least as new as the server.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Failure, interrupted } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { withConnection } from './home.ts';

/** The place of the dump in a backup. */
export const dumpPath = 'database/database.dump';

/** Where Debian and Red Hat put the programs of each version. */
const versioned = ['/usr/lib/postgresql', '/usr/pgsql'];

/** Returns the major version of a server, such as 18. */
export function serverMajor(url: string): Promise<number> {
  return withConnection({ connectionString: url }, async (client) => {
    const { rows } = await client.query(`select current_setting('server_version_num')::integer / 10000 as major`);
    return rows[0].major;
  });
}

/**
 * Finds a program of PostgreSQL on this machine, of a version or a later one.
 * @throws Failure usage that names the package to install, or the command that does the same elsewhere
 */
export async function findClient(name: 'pg_dump' | 'pg_restore', major: number, elsewhere: string): Promise<string> {
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/'));
  for (const parent of versioned) {
    for (const version of await readdir(parent).catch(() => [])) folders.push(join(parent, version, 'bin'));
  }
  let newest = 0;
  for (const path of folders.map((folder) => join(folder, name)).filter((path) => existsSync(path))) {
    const found = await majorOf(path);
    if (found >= major) return path;
    newest = Math.max(newest, found);
  }
  throw new Failure(
    'usage',
    newest > 0
      ? `the database is PostgreSQL ${major}, and ${name} of this machine is of version ${newest}`
      : `the database is not the box's own, and this machine has no ${name}`,
    `Install postgresql-client-${major} and try again, or run on a machine that has it: ${elsewhere}`,
  );
}

/** Dumps a database into a file, in PostgreSQL's custom format. @throws Failure usage, unexpected, interrupted */
export async function dumpDatabase(url: string, file: string, output: Output, signal?: AbortSignal): Promise<number> {
  const major = await serverMajor(url);
  const program = await findClient('pg_dump', major, `pg_dump --format=custom --file=store.dump "$DATABASE_URL"`);
  await runClient(program, ['--format=custom', '--no-password', `--file=${file}`], url, output, signal);
  return major;
}

/** Restores a dump into a database that has no tables. @throws Failure usage, unexpected, interrupted */
export async function restoreDump(url: string, file: string, output: Output, signal?: AbortSignal): Promise<void> {
  const major = await serverMajor(url);
  const program = await findClient(
    'pg_restore',
    major,
    `pg_restore --exit-on-error --dbname="$DATABASE_URL" store.dump`,
  );
  const options = ['--exit-on-error', '--single-transaction', '--no-owner', '--no-password', '--dbname='];
  await runClient(program, [...options, file], url, output, signal);
}

async function majorOf(program: string): Promise<number> {
  const run = await promisify(execFile)(program, ['--version']).catch(() => ({ stdout: '' }));
  return Number(/\(PostgreSQL\) (\d+)/.exec(run.stdout)?.[1] ?? 0);
}

/** The URL is passed in the environment, since arguments are visible to all users of the machine. */
function runClient(
  program: string,
  words: readonly string[],
  url: string,
  output: Output,
  signal: AbortSignal | undefined,
): Promise<void> {
  const began = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env: connectionVariables(url), stdio: ['ignore', 'ignore', 'pipe'] });
    const timer = setInterval(() => output.waiting(`${program} is working`, (Date.now() - began) / 1000), 250);
    const stop = () => child.kill('SIGTERM');
    signal?.addEventListener('abort', stop);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-2000);
    });
    child.once('error', reject);
    child.once('close', (status) => {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
      if (status === 0) resolve();
      else if (signal?.aborted) reject(interrupted());
      else if (/No space left on device/.test(errors)) {
        reject(new Failure('disk_full', 'the disk is full', 'Free some space, then run the command again'));
      } else reject(new Failure('unexpected', `${program} failed: ${errors.trim()}`, 'See its message'));
    });
  });
}

/** The variables by which libpq finds a database. */
function connectionVariables(text: string): NodeJS.ProcessEnv {
  const url = new URL(text);
  const decoded = (value: string) => (value ? decodeURIComponent(value) : undefined);
  const variables: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    PGHOST: url.searchParams.get('host') ?? decoded(url.hostname.replace(/^\[|\]$/g, '')),
    PGPORT: url.port || undefined,
    PGUSER: decoded(url.username),
    PGPASSWORD: decoded(url.password),
    PGDATABASE: decoded(url.pathname.slice(1)),
    PGSSLMODE: url.searchParams.get('sslmode') ?? undefined,
    PGSSLROOTCERT: url.searchParams.get('sslrootcert') ?? undefined,
  };
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined));
}
