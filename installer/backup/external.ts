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
import { counted, type Output } from '../output/output.ts';
import { withConnection } from './home.ts';

/** The place of the dump in a backup. */
export const dumpPath = 'database/database.dump';

/** Where Debian and Red Hat put the programs of each version. */
const versioned = ['/usr/lib/postgresql', '/usr/pgsql'];

interface Server {
  /** Its major version, such as 18. */
  major: number;
  /** Its clock, ISO 8601: that of this machine may differ. */
  time: string;
  role: string;
  /** Tables of which row-level security hides rows from the role. */
  hidden: number;
}

function readServer(url: string): Promise<Server> {
  return withConnection({ connectionString: url }, async (client) => {
    const { rows } = await client.query(
      `select current_setting('server_version_num')::integer / 10000 as major, now() as time, current_user as role,
              (select count(*)::integer from pg_class
                where relkind in ('r', 'p') and relrowsecurity and row_security_active(oid)) as hidden`,
    );
    const [{ time, ...server }] = rows;
    return { ...server, time: (time as Date).toISOString() };
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
  // What a later version writes may have settings that the server does not know, so the nearest one is used.
  let nearest: { path: string; found: number } | undefined;
  for (const path of folders.map((folder) => join(folder, name)).filter((path) => existsSync(path))) {
    const found = await majorOf(path);
    if (found >= major && found < (nearest?.found ?? Number.POSITIVE_INFINITY)) nearest = { path, found };
    newest = Math.max(newest, found);
  }
  if (nearest) return nearest.path;
  throw new Failure(
    'usage',
    newest > 0
      ? `the database is PostgreSQL ${major}, and ${name} of this machine is of version ${newest}`
      : `the database is not the box's own, and this machine has no ${name}`,
    `Install postgresql-client-${major} and try again, or run on a machine that has it: ${elsewhere}`,
  );
}

/**
 * Checks that a database can be dumped by this machine.
 * @returns the program, and the server
 * @throws Failure usage that says what to install or to run; not_running
 */
export async function checkDump(url: string): Promise<{ program: string; server: Server }> {
  const server = await readServer(url);
  const elsewhere = `pg_dump --format=custom --file=store.dump "$DATABASE_URL"`;
  const program = await findClient('pg_dump', server.major, elsewhere);
  if (server.hidden === 0) return { program, server };
  const role = `"${server.role.replaceAll('"', '""')}"`;
  throw new Failure(
    'usage',
    `row-level security hides the rows of ${counted(server.hidden, 'table')} from ${role}, the role of DATABASE_URL, so pg_dump cannot read them`,
    `As a superuser of PostgreSQL run: alter role ${role} bypassrls (the box itself works with a role that may not)`,
  );
}

/**
 * Dumps a database into a file, in PostgreSQL's custom format.
 * @returns the version of the server, and its time before
 * @throws Failure usage, unexpected, interrupted
 */
export async function dumpDatabase(
  url: string,
  file: string,
  output: Output,
  signal?: AbortSignal,
): Promise<{ major: number; time: string }> {
  const { program, server } = await checkDump(url);
  await runClient(program, ['--format=custom', '--no-password', `--file=${file}`], url, output, signal);
  return server;
}

/**
 * The shell command by which an operator replaces all of a database by a dump. It is one transaction: tables that newer
 * migrations have created are gone too, and a failure leaves everything as it was.
 */
export function replaceCommand(dump: string): string {
  const file = `'${dump.replaceAll("'", "'\\''")}'`;
  return (
    `{ echo 'begin; drop schema public cascade; create schema public;'; pg_restore --no-owner --file=- ${file} && echo 'commit;'; }` +
    ' | psql --no-psqlrc --quiet --output=/dev/null --set=ON_ERROR_STOP=1 "$DATABASE_URL"'
  );
}

/** Restores a dump into a database that has no tables. @throws Failure usage, unexpected, interrupted */
export async function restoreDump(url: string, file: string, output: Output, signal?: AbortSignal): Promise<void> {
  const { major } = await readServer(url);
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
