/**
 * A start that is ended: it begins nothing new, and leaves no server behind.
 */
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { processesWith } from '../../testing/processes.ts';
import { until } from '../../testing/waiting.ts';
import { readPostmaster } from '../embedded/server.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import { createBoxFolder, query, serverPid, startInOtherProcess } from './embedded-helpers.ts';

const isAborted = { name: 'AbortError' };
const directory = await createBoxFolder(t);
const data = join(directory, 'data');
const aborted = AbortSignal.abort();

t.test('before there is a server', async (t) => {
  await t.rejects(startEmbeddedPostgres({ directory, signal: aborted }), isAborted);
  t.notOk(existsSync(data), 'no database is created');
  const ending = new AbortController();
  const joining = startEmbeddedPostgres({ directory, joinOnly: true, signal: ending.signal });
  ending.abort();
  await t.rejects(joining, isAborted, 'one that waits for the server of another process');
});

t.test('with the server of a process that was killed: it is taken over, so that it can be stopped', async (t) => {
  const killed = startInOtherProcess(t, directory);
  await killed.line;
  const pid = await serverPid(directory);
  await killed.kill();
  const next = await startEmbeddedPostgres({ directory, signal: aborted });
  t.equal(next.owned, true);
  t.equal(await serverPid(directory), pid);
  await next.stop();
  t.equal(readPostmaster(data), null);
});

t.test('with a database and no server', async (t) => {
  await t.rejects(startEmbeddedPostgres({ directory, signal: aborted }), isAborted);
  t.equal(readPostmaster(data), null, 'none is started');
});

t.test('while its server recovers', async (t) => {
  // It would wait for a file of its archive.
  await writeFile(join(data, 'recovery.signal'), '');
  const settings = { restore_command: 'sleep 600' };
  const ending = new AbortController();
  const starting = startEmbeddedPostgres({ directory, settings, signal: ending.signal });
  await serverPid(directory);
  t.not(readPostmaster(data)?.status, 'ready');
  ending.abort();
  await t.rejects(starting, isAborted);
  t.equal(readPostmaster(data), null);
  await until(
    () => processesWith(data),
    (left) => left.length === 0,
  );
  await rm(join(data, 'recovery.signal'), { force: true });
});

t.test('after the start the signal has no effect: a server that fails is started again', async (t) => {
  const ending = new AbortController();
  const server = await startEmbeddedPostgres({ directory, signal: ending.signal });
  ending.abort();
  const pid = await serverPid(directory);
  process.kill(pid, 'SIGKILL');
  while ((await serverPid(directory)) === pid || readPostmaster(data)?.status !== 'ready') await sleep(20);
  t.strictSame(await query(server.url, 'select 1 as one'), [{ one: 1 }]);
  await server.stop();
});
