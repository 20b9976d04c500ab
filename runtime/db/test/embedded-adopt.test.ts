/**
 * A server outlives its owner: the process that waits for it adopts it when it is released, or when its owner dies. There
 * is one server at any moment, also when owners are killed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { readPostmaster } from '../embedded/server.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { createBoxFolder, query, serverPid, startInOtherProcess } from './embedded-helpers.ts';

const untilOwned = async (server: { readonly owned: boolean }) => {
  while (!server.owned) await sleep(20);
};

t.test('released by one process, adopted by the next, stopped by the last', async (t) => {
  const directory = await createBoxFolder(t);
  const first = await startEmbeddedPostgres({ directory, adopt: true });
  const pid = await serverPid(directory);
  const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];
  t.match(program, join(directory, 'binaries'), 'it runs from a copy, which stays when a release is removed');

  const second = await startEmbeddedPostgres({ directory, adopt: true });
  t.match(second, { owned: false, url: first.url });
  await first.release();
  await untilOwned(second);
  t.equal(await serverPid(directory), pid, 'it is the same server');
  await first.stop();
  t.strictSame(await query(second.url, 'select 1 as one'), [{ one: 1 }], 'the former owner does not stop it');

  process.kill(pid, 'SIGKILL');
  while ((await serverPid(directory)) === pid || readPostmaster(join(directory, 'data'))?.status !== 'ready') {
    await sleep(20);
  }
  t.strictSame(await query(second.url, 'select 1 as one'), [{ one: 1 }], 'the new owner restarts it');
  await second.stop();
  t.equal(readPostmaster(join(directory, 'data')), null, 'and stops it');
});

t.test('one whose owner is killed is adopted', async (t) => {
  const directory = await createBoxFolder(t);
  const owner = startInOtherProcess(t, directory, { adopt: true });
  await owner.line;
  const pid = await serverPid(directory);
  const waiting = await startEmbeddedPostgres({ directory, adopt: true });
  t.equal(waiting.owned, false);
  await owner.kill();
  await untilOwned(waiting);
  t.equal(await serverPid(directory), pid);
  await waiting.stop();
  t.equal(readPostmaster(join(directory, 'data')), null);
});

t.test('a process that stops before it is the owner leaves the server', async (t) => {
  const directory = await createBoxFolder(t);
  const owner = await startEmbeddedPostgres({ directory, adopt: true });
  const waiting = await startEmbeddedPostgres({ directory, adopt: true });
  await waiting.stop();
  t.strictSame(await query(owner.url, 'select 1 as one'), [{ one: 1 }]);
  const another = await startEmbeddedPostgres({ directory, adopt: true });
  // At the same moment: whichever of them has the lock stops the server.
  await Promise.all([owner.release(), another.stop()]);
  t.equal(readPostmaster(join(directory, 'data')), null, 'a server without an owner is not left behind');
});

t.test(
  'a process that leaves the server to another does not stop it, even if nobody owns it for a moment',
  async (t) => {
    const directory = await createBoxFolder(t);
    const owner = await startEmbeddedPostgres({ directory, adopt: true });
    const pid = await serverPid(directory);
    const waiting = await startEmbeddedPostgres({ directory, adopt: true });
    await waiting.release();
    await owner.release();
    await waiting.stop();
    t.equal(await serverPid(directory), pid);
    const next = await startEmbeddedPostgres({ directory, adopt: true });
    t.equal(await serverPid(directory), pid, 'the next one takes it over');
    await next.stop();
  },
);

t.test('a process that only joins never owns the server, and does not stop it', async (t) => {
  const directory = await createBoxFolder(t);
  const owner = await startEmbeddedPostgres({ directory, adopt: true });
  const pid = await serverPid(directory);
  const joined = await startEmbeddedPostgres({ directory, adopt: true, joinOnly: true });
  await owner.release();
  // A process that waited for the lock would have it now.
  const next = await startEmbeddedPostgres({ directory, adopt: true });
  t.strictSame([joined.owned, next.owned], [false, true]);
  await next.release();
  await joined.stop();
  t.equal(await serverPid(directory), pid);
  await (await startEmbeddedPostgres({ directory, adopt: true })).stop();
});
