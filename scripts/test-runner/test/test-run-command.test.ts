/**
 * The process of `npm test`: whatever ends it, what it has started ends with it, and nothing stays in the folder for
 * temporary files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { processesWith, temporaryFolder, until } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { root } from '../../test/support/stack.ts';

const { TEST_DATABASE_URL: _, ...environment } = process.env;

interface Command {
  child: ChildProcess & { stdout: Readable; stderr: Readable };
  /** Its folder for temporary files. */
  folder: string;
}

/** @param before what a shell does before it */
async function start(t: Test, file: string, before = 'true'): Promise<Command> {
  const folder = await temporaryFolder('test-command-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const words = [process.execPath, '--conditions=workspace-source', 'scripts/test-runner/test.ts', file];
  const child = spawn('sh', ['-c', `${before}; exec "$@"`, 'sh', ...words], {
    cwd: root,
    env: { ...environment, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, folder };
}

async function nothingIsLeft(t: Test, folder: string): Promise<void> {
  t.strictSame(await readdir(folder), [], 'no file is left');
  t.strictSame(processesWith(folder), [], 'nor a process');
}

const someFile = 'runtime/background/test/events.test.ts';

t.test('a signal ends the run with what it has started', async (t) => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { child, folder } = await start(t, someFile);
    const ended = once(child, 'close');
    const said = text(child.stderr);
    await once(child.stdout, 'data');
    t.not((await readdir(folder)).length, 0, 'the server runs');
    child.kill(signal);
    child.stdout.resume();
    t.strictSame(await ended, [code, null]);
    t.match(await said, `ended by ${signal}: 0 of 1 files were run`);
    await nothingIsLeft(t, folder);
  }
});

t.test('a run whose output nobody reads any more ends', async (t) => {
  const { child, folder } = await start(t, someFile);
  const ended = once(child, 'close');
  const said = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  t.strictSame(await ended, [141, null]);
  // It may find out when the file has ended.
  t.match(await said, /^ended by SIGPIPE: [01] of 1 files were run\n$/);
  await nothingIsLeft(t, folder);
});

t.test('a run that is killed leaves no server and no worker', async (t) => {
  const { child, folder } = await start(t, someFile);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await ended;
  await until(
    () => readdir(folder),
    (left) => left.length === 0,
  );
  await until(
    () => processesWith(folder),
    (left) => left.length === 0,
  );
});

t.test('a server that cannot start leaves no folder', async (t) => {
  const { child, folder } = await start(t, someFile, 'ulimit -f 64');
  const said = text(child.stderr);
  const [code] = await once(child, 'close');
  t.equal(code, 1);
  t.match(await said, 'PostgreSQL cannot be started: ');
  await nothingIsLeft(t, folder);
});

t.test('figures of a part of a suite are not kept', async (t) => {
  const folder = await temporaryFolder('figures-');
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'figures.json');
  const figures = { suite: 'rules', complete: false, files: 1, passed: 1, cpuSeconds: 1, wallSeconds: 1, slowest: [] };
  await writeFile(path, JSON.stringify(figures));
  const words = ['--conditions=workspace-source', 'scripts/test-runner/test-times.ts', '--write', path];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  t.strictSame(await once(child, 'close'), [2, null]);
  t.match(await said, `not kept: ${path} is not of a run of a whole suite, once`);
});
