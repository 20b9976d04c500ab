/**
 * The embedded PostgreSQL as a box uses it: started, restarted, shared with another process, restarted after a crash.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import knex from 'knex';
import t from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { missingPrograms, pathOf } from '../../testing/programs.ts';
import { vendor } from '../../vendor.ts';
import { readPostmaster } from '../embedded/server.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { createBoxFolder, query, serverPid, userOf } from './embedded-helpers.ts';

t.test('the database is private, durable, and the same after a restart', async (t) => {
  const directory = await createBoxFolder(t);
  const first = await startEmbeddedPostgres({ directory });
  t.teardown(() => first.stop());
  t.equal(first.owned, true);

  const show = async (name: string) => Object.values((await query(first.url, `show ${name}`))[0] ?? {})[0];
  t.equal(await show('fsync'), 'on');
  t.equal(await show('full_page_writes'), 'on');
  t.equal(await show('listen_addresses'), '', 'nothing listens on the network');
  t.equal(await show('data_checksums'), 'on');
  t.equal(await show('timezone'), 'UTC');
  t.match(
    await query(first.url, 'select current_database() as name, rolsuper from pg_roles where rolname = user'),
    exactly([{ name: vendor.name, rolsuper: true }]),
  );
  t.match(
    await query(
      first.url,
      `select datlocprovider as provider, datlocale as locale, pg_encoding_to_char(encoding) as encoding
       from pg_database where datname = current_database()`,
    ),
    exactly([{ provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8' }]),
    'the sort order does not depend on the machine',
  );
  t.not(userOf(await serverPid(directory)), 0, 'the server does not run as root');

  for (const [name, mode] of Object.entries({ data: 0o700, socket: 0o700, password: 0o600, 'postgresql.log': 0o600 })) {
    t.equal((await stat(join(directory, name))).mode & 0o777, mode, `only its owner may access ${name}`);
  }
  const otherPassword = new URL(first.url);
  otherPassword.password = 'guess';
  await t.rejects(query(otherPassword.href, 'select 1'), { code: '28P01' });

  await query(first.url, "create table note as select 'saved' as text");
  await Promise.all([first.stop(), first.stop()]);
  await first.stop();
  t.equal(readPostmaster(join(directory, 'data')), null, 'stop() waits until the server has exited');
  t.notOk((await readdir(directory)).some((name) => name.includes('partial')));

  const second = await startEmbeddedPostgres({ directory, settings: { work_mem: '5MB' } });
  t.teardown(() => second.stop());
  t.equal(second.url, first.url);
  t.strictSame(await query(second.url, 'select text from note'), [{ text: 'saved' }]);
  t.strictSame(await query(second.url, 'show work_mem'), [{ work_mem: '5MB' }]);
  await second.stop();
});

t.test('two concurrent starts, in a folder whose path is unsuitable for a socket', async (t) => {
  const directory = join(await createBoxFolder(t), 'a, b', 'x'.repeat(90), 'postgresql');
  const lines: string[] = [];
  const start = () => startEmbeddedPostgres({ directory, log: (line) => lines.push(line) });
  const both = await Promise.all([start(), start()]);
  const [owner, guest] = both[0].owned ? both : [both[1], both[0]];
  t.teardown(() => owner.stop());
  t.equal(owner.owned, true);
  t.equal(guest.owned, false);
  t.equal(guest.url, owner.url);
  await guest.stop();
  await query(owner.url, 'create table saved as select 1 as one');

  const socketFolder = new URL(owner.url).searchParams.get('host') ?? '';
  t.notOk(socketFolder.startsWith(directory), 'the socket is in another folder');
  t.equal((await stat(socketFolder)).mode & 0o777, 0o700);

  await t.test('pg and knex accept the URL', async (t) => {
    t.strictSame(await query(owner.url, 'select 1 as one'), [{ one: 1 }]);
    for (const settings of [owner.url, { client: 'pg', connection: owner.url }]) {
      const database = knex(settings);
      t.equal((await database.raw('select 1 as one')).rows[0].one, 1);
      await database.destroy();
    }
  });

  await t.test('psql accepts it', { skip: missingPrograms('psql') }, async (t) => {
    const options = ['--no-align', '--tuples-only', '--command', 'select 1'];
    const { stdout, stderr } = spawnSync(pathOf('psql'), [owner.url, ...options], { encoding: 'utf8' });
    t.equal(stdout, '1\n', stderr);
  });

  await t.test('a server that crashes is restarted', async (t) => {
    const pid = await serverPid(directory);
    process.kill(pid, 'SIGKILL');
    while (!lines.includes('PostgreSQL is ready again')) await sleep(20);
    t.ok(lines.some((line) => line.startsWith('PostgreSQL ended by SIGKILL; restarting it')));
    t.not(await serverPid(directory), pid);
    t.strictSame(await query(owner.url, 'select one from saved'), [{ one: 1 }]);
  });

  await owner.stop();
  await t.rejects(query(owner.url, 'select 1'));
  t.notOk(existsSync(socketFolder), 'the socket folder outside the home is removed');
  t.match(readFileSync(join(directory, 'postgresql.log'), 'utf8'), /database system is shut down/);
});
