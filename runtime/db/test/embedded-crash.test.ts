/** The next start recovers from a kill at any moment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { watchRecovery } from '../embedded/recovery.ts';
import { readPostmaster } from '../embedded/server.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { createBoxFolder, query, serverPid, startInOtherProcess } from './embedded-helpers.ts';

t.test('a box is killed and its server continues to run', async (t) => {
  const directory = await createBoxFolder(t);
  const box = startInOtherProcess(t, directory);
  const { url } = await box.line;
  await query(url, 'create table saved as select 1 as one');
  const pid = await serverPid(directory);
  await box.kill();
  t.strictSame(await query(url, 'select one from saved'), [{ one: 1 }], 'the server outlives its box');

  await t.test('the next start takes it over', async (t) => {
    const next = await startEmbeddedPostgres({ directory });
    t.equal(next.owned, true);
    t.equal(next.url, url);
    t.equal(await serverPid(directory), pid, 'it is the same process');

    const guest = await startInOtherProcess(t, directory).line;
    t.match(guest, { url, owned: false }, 'another process connects to the server of a live owner');

    await next.stop();
    await t.rejects(query(url, 'select 1'), 'the process that took it over stops it');
  });

  await t.test('a start with other settings replaces the server', async (t) => {
    const killed = startInOtherProcess(t, directory);
    await killed.line;
    const former = await serverPid(directory);
    await killed.kill();
    const next = await startEmbeddedPostgres({ directory, settings: { max_connections: '50' } });
    t.teardown(() => next.stop());
    t.not(await serverPid(directory), former);
    t.strictSame(await query(url, 'show max_connections'), [{ max_connections: '50' }]);
    await next.stop();
  });

  await t.test('a box that exits without stopping its server signals it to stop', async (t) => {
    const box = startInOtherProcess(t, directory);
    await box.line;
    box.child.kill('SIGTERM');
    while (readPostmaster(join(directory, 'data'))) await sleep(20);
    await t.rejects(query(url, 'select 1'));
  });

  await t.test('the process number that a killed server leaves behind may belong to another process', async (t) => {
    const killed = startInOtherProcess(t, directory);
    await killed.line;
    await query(url, 'insert into saved values (2)');
    await killed.kill();
    process.kill(await serverPid(directory), 'SIGKILL');
    for (const file of ['data/postmaster.pid', 'socket/.s.PGSQL.5432.lock']) {
      const path = join(directory, file);
      await writeFile(path, (await readFile(path, 'utf8')).replace(/^\d+/, String(process.pid)));
    }

    const next = await startEmbeddedPostgres({ directory });
    t.teardown(() => next.stop());
    t.strictSame(await query(url, 'select one from saved order by one'), [{ one: 1 }, { one: 2 }]);
    await next.stop();
  });

  await t.test('a lost password is replaced', async (t) => {
    await rm(join(directory, 'password'));
    const next = await startEmbeddedPostgres({ directory });
    t.teardown(() => next.stop());
    t.not(next.url, url);
    t.strictSame(await query(next.url, 'select count(*)::int as count from saved'), [{ count: 2 }]);
    await t.rejects(query(url, 'select 1'), { code: '28P01' });
    await next.stop();
  });
});

t.test('a server that neither recovers nor serves is ended, and the box starts it again', async (t) => {
  const directory = await createBoxFolder(t);
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const server = await startEmbeddedPostgres({ directory, log });
  t.teardown(() => server.stop());
  await query(server.url, 'create table saved as select 1 as one');
  const pid = await serverPid(directory);
  const watched = { data: join(directory, 'data'), log };
  const limits = { stuck: 1500, shutdown: 1500 };

  const endWatch = watchRecovery({ pid }, watched, limits);
  t.teardown(endWatch);
  await sleep(4000);
  t.equal(await serverPid(directory), pid, 'one that serves is left alone');

  // Stopped, it neither replaces its WAL writer nor shuts down.
  const title = (child: string) => readFileSync(`/proc/${child}/cmdline`, 'utf8');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const writer = children.find((child) => title(child).includes('walwriter'));
  process.kill(pid, 'SIGSTOP');
  process.kill(Number(writer), 'SIGKILL');
  while (!lines.includes('PostgreSQL is ready again')) await sleep(50);
  endWatch();
  t.not(await serverPid(directory), pid);
  t.strictSame(await query(server.url, 'select one from saved'), [{ one: 1 }]);
  t.match(
    lines,
    exactly([
      ...lines.filter((line) => line.startsWith('Copying') || line.startsWith('Creating')),
      ...lines.filter((line) => line.startsWith('PostgreSQL neither')),
      /^PostgreSQL ended by SIGKILL; restarting it/,
      'PostgreSQL is ready again',
    ]),
  );
  t.ok(lines.includes(`PostgreSQL neither recovers nor serves: ending process ${pid}`));
});

t.test('a process that has the number of a server which has ended is left alone', async (t) => {
  const child = spawn('sleep', ['60']);
  t.teardown(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const pid = child.pid as number;
  const data = t.testdir({ 'postmaster.pid': `${pid}\n` });
  const lines: string[] = [];
  const endWatch = watchRecovery({ pid }, { data, log: (line) => lines.push(line) }, { stuck: 0, shutdown: 0 });
  t.teardown(endWatch);
  await sleep(2500);
  t.strictSame(lines, []);
  t.equal(child.signalCode, null);
});

t.test('a box is killed while it creates its data', async (t) => {
  const directory = await createBoxFolder(t);
  const partial = async () => (await readdir(directory).catch(() => [])).filter((name) => name.startsWith('data.'));
  const box = startInOtherProcess(t, directory);
  const hasBegun = async () => {
    const [name] = await partial();
    return name ? (await readdir(join(directory, name))).length > 0 : false;
  };
  while (!(await hasBegun())) await sleep(5);
  await box.kill();
  t.equal((await partial()).length, 1, 'it was killed before it finished');

  const next = await startEmbeddedPostgres({ directory });
  t.teardown(() => next.stop());
  t.strictSame(await query(next.url, 'select 1 as one'), [{ one: 1 }]);
  t.strictSame(await partial(), [], 'the partial data is removed');
  await next.stop();
});
