/**
 * A PostgreSQL of Debian's package `postgresql`, for tests of a database of the operator's own.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, installedPostgres, missingPostgres } from '@carton/runtime/testing';
import pg from 'pg';
import type { Test } from 'tap';
import { chooseDatabaseAccount, identityOf } from '../../account.ts';

/** Why tests with it are skipped; false if it is installed. */
export const missing = missingPostgres();

/** The oldest version that is installed, and its programs. */
const { version = '', programs = '' } = installedPostgres('initdb')[0] ?? {};
export const debianVersion = version;

export interface DebianPostgres {
  /** Creates a database, and returns its URL for the superuser. */
  create(name: string): Promise<string>;
  /** Creates a database of an ordinary role with this name, and returns its URL for that role. */
  createOwned(name: string): Promise<string>;
  /** Restarts the server, which ends all connections. */
  restart(): Promise<void>;
}

/** Starts Debian's PostgreSQL with a password. */
export async function startDebianPostgres(t: Test, folder: string): Promise<DebianPostgres> {
  const data = join(folder, 'debian');
  const account = await chooseDatabaseAccount(data);
  await mkdir(data, { mode: 0o700 });
  if (account.borrowed) await chown(data, account.uid, account.gid);
  const as = { ...identityOf(account), cwd: '/' };
  const password = 'p%ss wörd/:@';
  const file = join(folder, 'debian-password');
  await writeFile(file, password);
  if (account.borrowed) await chown(file, account.uid, account.gid);
  const options = [
    '--auth=scram-sha-256',
    '--username=store',
    `--pwfile=${file}`,
    '--no-sync',
    '-E',
    'UTF8',
    '-D',
    data,
  ];
  await promisify(execFile)(join(programs, 'initdb'), options, as);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  const words = ['-D', data, ...settings.flatMap((each) => ['-c', each])];
  const begin = () => spawn(join(programs, 'postgres'), words, { ...as, stdio: 'ignore' });
  let server = begin();
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  t.teardown(() => end('SIGQUIT'));
  const urlOf = (name: string, role = 'store') =>
    `postgres://${encodeURIComponent(role)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  const untilReady = async () => {
    while (!(await query(urlOf('postgres'), 'select 1').catch(() => undefined))) await sleep(50);
  };
  await untilReady();
  return {
    async create(name) {
      await query(urlOf('postgres'), `create database "${name}"`);
      return urlOf(name);
    },
    async createOwned(name) {
      await query(urlOf('postgres'), `create role "${name}" login password '${password}'`);
      await query(urlOf('postgres'), `create database "${name}" owner "${name}"`);
      return urlOf(name, name);
    },
    async restart() {
      await end('SIGINT');
      server = begin();
      await untilReady();
    },
  };
}

/** Runs a statement on a connection of its own. */
export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
