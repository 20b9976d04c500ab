/**
 * The backup of an operator's own database by pg_dump and pg_restore of the machine. Needs Debian's package `postgresql`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { appendFile, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { exactly, freePort } from '@carton/runtime/testing';
import pg from 'pg';
import t, { type Test } from 'tap';
import { backup } from '../../commands/backup.ts';
import { proveLastBackup } from '../../commands/doctor-backup.ts';
import { restore } from '../../commands/restore.ts';
import { silent as output } from '../../output/output.ts';
import { chooseDatabaseAccount, identityOf } from '../account.ts';
import { emptyBox, startBox } from './support/box.ts';

const versions = '/usr/lib/postgresql';
const version = existsSync(versions)
  ? readdirSync(versions).find((name) => existsSync(join(versions, name, 'bin/initdb')))
  : undefined;
const programs = join(versions, version ?? '', 'bin');

/** Starts Debian's PostgreSQL with a password. @returns the URL of a database with this name, created now */
async function startDebianPostgres(t: Test, folder: string): Promise<(name: string) => Promise<string>> {
  const data = join(folder, 'debian');
  const account = await chooseDatabaseAccount(data);
  await mkdir(data, { mode: 0o700 });
  if (account.borrowed) await chown(data, account.uid, account.gid);
  const as = { ...identityOf(account), cwd: '/' };
  const password = 'p%ss wörd/:@';
  const file = join(folder, 'debian-password');
  await writeFile(file, password);
  if (account.borrowed) await chown(file, account.uid, account.gid);
  const words = ['--auth=scram-sha-256', '--username=store', `--pwfile=${file}`, '--no-sync', '-E', 'UTF8', '-D', data];
  await promisify(execFile)(join(programs, 'initdb'), words, as);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap((each) => ['-c', each])], {
    ...as,
    stdio: 'ignore',
  });
  t.teardown(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGQUIT');
    await ended;
  });
  const urlOf = (name: string) => `postgres://store:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`;
  while (!(await query(urlOf('postgres'), 'select 1').catch(() => undefined))) await sleep(50);
  return async (name) => {
    await query(urlOf('postgres'), `create database "${name}"`);
    return urlOf(name);
  };
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

t.test('a database of the operator is dumped, and restored into an empty one', async (t) => {
  if (!version) return void t.comment("skipped: Debian's package postgresql is not installed");
  const box = await startBox(t);
  await box.server.stop();
  const { root: dir } = box.folder;
  const create = await startDebianPostgres(t, dirname(dir));
  const url = await create('store');
  await query(url, 'create table orders (id integer primary key, text text)');
  await query(url, "insert into orders select number, 'ä' || number from generate_series(1, 1000) as number");
  await appendFile(box.folder.secrets, `DATABASE_URL="${url}"\n`);
  const taken = await backup({ dir, keep: 1 }, output);
  t.match(taken, { head: { database: 'external' }, record: { kind: 'dump', postgres: Number(version) } });
  t.match(await proveLastBackup(box.folder, { output }), { rows: 0 });

  const folder = await emptyBox(t);
  const into = (databaseUrl?: string) =>
    restore({ dir: folder.root, path: taken.path, ...(databaseUrl && { databaseUrl }) }, output);
  await t.rejects(into(), { code: 'usage', advice: /--database-url-file/ });
  await t.rejects(into(url), { code: 'usage', message: /not empty/ });
  await t.rejects(into(url.replace('/store', '/missing')), { code: 'not_running' });
  const other = await create('other');
  t.match(await into(other), { counts: { 'public.orders': 1000 } });
  t.match(
    await query(other, "select count(*)::integer as count from orders where text = 'ä' || id"),
    exactly([{ count: 1000 }]),
  );
  const secrets = await readFile(folder.secrets, 'utf8');
  t.equal(secrets.match(/^DATABASE_URL=/gm)?.length, 1);
  t.ok(secrets.includes('/other'), 'the box uses the new database');
});

t.test('clients that are older than the server are named', async (t) => {
  if (!version) return void t.comment("skipped: Debian's package postgresql is not installed");
  const box = await startBox(t);
  const { root: dir } = box.folder;
  await appendFile(box.folder.secrets, `DATABASE_URL="${box.server.url}"\n`);
  await t.rejects(backup({ dir }, output), {
    code: 'usage',
    message: /the database is PostgreSQL \d+, and pg_dump of this machine is of version \d+/,
    advice: /Install postgresql-client-\d+ and try again/,
  });
});
