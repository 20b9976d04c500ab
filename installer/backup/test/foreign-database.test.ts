/**
 * What the user of the database can have root signal: only servers of its own on the data of the box, whatever it writes into
 * `postmaster.pid` and wherever its folders lead.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, copyFile, mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { boxFolder } from '../../box/folder.ts';
import { silent as output } from '../../output/output.ts';
import { stopOrphanedDatabase } from '../orphan.ts';

const skip = process.getuid?.() === 0 ? false : 'only root can signal all processes';
const [owner, other] = [65_534, 12_345];

/** The folder of a box with data of a user, and the program of a server that does nothing. */
async function makeBox(t: Test) {
  const home = await realpath(await temporaryFolder('foreign-'));
  await chmod(home, 0o755);
  const program = join(home, 'postgres');
  await copyFile('/bin/sh', program);
  const folder = boxFolder(join(home, 'box'));
  const data = join(folder.data, 'postgresql/data');
  await mkdir(data, { recursive: true });
  await chown(data, owner, owner);
  const start = async (user: number, named: string) => {
    const child = spawn(program, ['-c', 'read line', 'sh', named], {
      uid: user,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    return child;
  };
  const record = (of: string, { pid }: ChildProcess, named: string) =>
    writeFile(join(of, 'postmaster.pid'), `${pid}\n${named}\n`);
  return { folder, data, start, record };
}

t.test('a process of another user that has the number of the server', { skip }, async (t) => {
  const { folder, data, start, record } = await makeBox(t);
  await record(data, await start(other, data), data);
  t.equal(await stopOrphanedDatabase(folder, output), undefined);
  const elsewhere = await start(owner, '/elsewhere');
  await record(data, elsewhere, '/elsewhere');
  t.equal(await stopOrphanedDatabase(folder, output), undefined, 'a server on other data');
  await record(data, elsewhere, '');
  t.equal(await stopOrphanedDatabase(folder, output), undefined);
  const server = await start(owner, data);
  await record(data, server, data);
  t.equal(await stopOrphanedDatabase(folder, output), server.pid);
});

t.test('a link to the data of another user', { skip }, async (t) => {
  const { folder, data, start, record } = await makeBox(t);
  const real = join(folder.root, 'of-another');
  await rename(data, real);
  await symlink(real, data);
  const server = await start(owner, real);
  await record(real, server, real);
  await chown(join(folder.data, 'postgresql'), other, other);
  t.equal(await stopOrphanedDatabase(folder, output), undefined, 'by one who can put it there');
  await chown(join(folder.data, 'postgresql'), 0, 0);
  t.equal(await stopOrphanedDatabase(folder, output), server.pid, 'by root, or by the user itself');
});
