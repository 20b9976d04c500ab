/** What a kill at the worst moment leaves, and that the next start copes with it. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { readPostmaster } from '../embedded/server.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { boxFolder, query, serverPid, startElsewhere } from './embedded-helpers.ts';

t.test('a box is killed and its server lives on', async (t) => {
  const directory = await boxFolder(t);
  const box = startElsewhere(t, directory);
  const { url } = await box.line;
  await query(url, 'create table kept as select 1 as one');
  const pid = await serverPid(directory);
  await box.kill();
  t.strictSame(await query(url, 'select one from kept'), [{ one: 1 }], 'the server outlives its box');

  await t.test('the next start takes it over', async (t) => {
    const next = await startEmbeddedPostgres({ directory });
    t.equal(next.owned, true);
    t.equal(next.url, url);
    t.equal(await serverPid(directory), pid, 'it is the same process');

    const guest = await startElsewhere(t, directory).line;
    t.match(guest, { url, owned: false }, 'a live owner is joined from another process');

    await next.stop();
    await t.rejects(query(url, 'select 1'), 'the one that took it over stops it');
  });

  await t.test('a start with other settings replaces it', async (t) => {
    const killed = startElsewhere(t, directory);
    await killed.line;
    const former = await serverPid(directory);
    await killed.kill();
    const next = await startEmbeddedPostgres({ directory, settings: { max_connections: '50' } });
    t.teardown(() => next.stop());
    t.not(await serverPid(directory), former);
    t.strictSame(await query(url, 'show max_connections'), [{ max_connections: '50' }]);
    await next.stop();
  });

  await t.test('a box that ends without stopping its server has asked it to stop', async (t) => {
    const box = startElsewhere(t, directory);
    await box.line;
    box.child.kill('SIGTERM');
    while (readPostmaster(join(directory, 'data'))) await sleep(20);
    await t.rejects(query(url, 'select 1'));
  });

  await t.test('a server killed as well leaves its process number, which may be another process by now', async (t) => {
    const killed = startElsewhere(t, directory);
    await killed.line;
    await query(url, 'insert into kept values (2)');
    await killed.kill();
    process.kill(await serverPid(directory), 'SIGKILL');
    for (const file of ['data/postmaster.pid', 'socket/.s.PGSQL.5432.lock']) {
      const path = join(directory, file);
      await writeFile(path, (await readFile(path, 'utf8')).replace(/^\d+/, String(process.pid)));
    }

    const next = await startEmbeddedPostgres({ directory });
    t.teardown(() => next.stop());
    t.strictSame(await query(url, 'select one from kept order by one'), [{ one: 1 }, { one: 2 }]);
    await next.stop();
  });

  await t.test('a lost password is set anew', async (t) => {
    await rm(join(directory, 'password'));
    const next = await startEmbeddedPostgres({ directory });
    t.teardown(() => next.stop());
    t.not(next.url, url);
    t.strictSame(await query(next.url, 'select count(*)::int as count from kept'), [{ count: 2 }]);
    await t.rejects(query(url, 'select 1'), { code: '28P01' });
    await next.stop();
  });
});

t.test('a box is killed while it makes its data', async (t) => {
  const directory = await boxFolder(t);
  const partial = async () => (await readdir(directory).catch(() => [])).filter((name) => name.startsWith('data.'));
  const box = startElsewhere(t, directory);
  const begun = async () => {
    const [name] = await partial();
    return name ? (await readdir(join(directory, name))).length > 0 : false;
  };
  while (!(await begun())) await sleep(5);
  await box.kill();
  t.equal((await partial()).length, 1, 'it was killed half-way');

  const next = await startEmbeddedPostgres({ directory });
  t.teardown(() => next.stop());
  t.strictSame(await query(next.url, 'select 1 as one'), [{ one: 1 }]);
  t.strictSame(await partial(), [], 'nothing of the first try is left');
  await next.stop();
});
