/**
 * A box that was killed with its supervisor leaves its PostgreSQL: `status` names it, and `stop` ends it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { status } from '../../commands/status/status.ts';
import { stop } from '../../commands/stop/stop.ts';
import { silent as output } from '../../output/output.ts';
import { findServer } from '../home.ts';
import { stopOrphanedDatabase } from '../orphan.ts';
import { startBox } from './support/box.ts';

const program = `
import { startEmbeddedPostgres } from '@carton/runtime/service';
const { url } = await startEmbeddedPostgres({ directory: process.argv.at(-1) });
console.log(url);
setInterval(() => {}, 1000);
`;

t.test('The database of a killed box', async (t) => {
  const box = await startBox(t);
  const { folder, server } = box;
  const dir = folder.root;
  t.equal(await stopOrphanedDatabase(folder, output), undefined, 'the database of a process that runs it stays');
  t.match(await box.query('select 1 as one'), exactly([{ one: 1 }]));
  await server.stop();

  const options = ['--conditions=workspace-source', '--input-type=module', '--eval', program];
  const owner = spawn(process.execPath, [...options, join(folder.data, 'postgresql')], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(owner.stdout, 'data');
  const data = join(folder.data, 'postgresql/data');
  const running = await findServer(data);
  t.ok(running);
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
  t.equal((await findServer(data))?.pid, running?.pid, 'it outlives its owner');
  t.match(await status({ dir }), { running: false, databasePid: running?.pid });
  t.match(await stop({ dir }, output), { stopped: false, databasePid: running?.pid });
  t.equal(await findServer(data), undefined);
  t.match(await stop({ dir }, output), { stopped: false, databasePid: undefined });
  await rm(folder.current);
  await box.start();
  t.match(await box.query('select count(*)::integer as count from orders'), exactly([{ count: 100 }]));
});
