/**
 * Durable writes: what is there after each, after a failure, and after a process that was killed.
 */
import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { flush, replaceFile, writeNewFile } from '../index.ts';

const run = promisify(execFile);

t.test('a file is replaced, with its mode, and nothing else is left', async (t) => {
  const folder = t.testdir({ settings: 'before' });
  const path = join(folder, 'settings');
  await chmod(path, 0o644);
  await replaceFile(path, 'one', { temporary: `${path}.new`, mode: 0o600 });
  t.equal(await readFile(path, 'utf8'), 'one');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  await replaceFile(path, Buffer.from('two'), { temporary: `${path}.new`, mode: 0o644 });
  t.equal(await readFile(path, 'utf8'), 'two');
  t.equal((await stat(path)).mode & 0o777, 0o644);
  t.strictSame(await readdir(folder), ['settings']);
});

t.test('what a killed process left is replaced, and has no effect on the mode', async (t) => {
  const folder = t.testdir({ 'settings.new': 'a half of what' });
  const path = join(folder, 'settings');
  await chmod(join(folder, 'settings.new'), 0o666);
  await replaceFile(path, 'all', { temporary: `${path}.new`, mode: 0o600 });
  t.equal(await readFile(path, 'utf8'), 'all');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.strictSame(await readdir(folder), ['settings']);
});

t.test('a failure leaves the old content and no temporary file', async (t) => {
  const folder = t.testdir({ taken: { file: '' }, settings: 'before' });
  const temporary = join(folder, 'settings.new');
  await t.rejects(replaceFile(join(folder, 'taken'), 'one', { temporary, mode: 0o600 }), { code: /EISDIR|ENOTEMPTY/ });
  t.strictSame((await readdir(folder)).sort(), ['settings', 'taken']);
  const below = join(folder, 'settings', 'below');
  await t.rejects(replaceFile(below, 'one', { temporary: `${below}.new`, mode: 0o600 }), { code: 'ENOTDIR' });
  t.equal(await readFile(join(folder, 'settings'), 'utf8'), 'before');
});

t.test('the owner is another account, if one is named', { skip: process.getuid?.() !== 0 && 'not root' }, async (t) => {
  const path = join(t.testdir(), 'password');
  await replaceFile(path, 'one', { temporary: `${path}.new`, mode: 0o600, owner: { uid: 65534, gid: 65534 } });
  t.match(await stat(path), { uid: 65534, gid: 65534 });
});

t.test('a new file is not written over another one', async (t) => {
  const path = join(t.testdir(), 'report');
  await writeNewFile(path, 'one');
  t.equal((await stat(path)).mode & 0o777, 0o600);
  await t.rejects(writeNewFile(path, 'two'), { code: 'EEXIST' });
  t.equal(await readFile(path, 'utf8'), 'one');
});

const hasStrace = await run('strace', ['--version']).then(
  () => true,
  () => false,
);
const skip = hasStrace ? false : 'strace is not installed: apt-get install strace';

t.test('file and folder are flushed, each at its time', { skip }, async (t) => {
  const folder = t.testdir({ trace: '' });
  const program = join(folder, 'program.mjs');
  const module = JSON.stringify(import.meta.resolve('../index.ts'));
  const [path, trace] = [join(folder, 'settings'), join(folder, 'trace')];
  await writeFile(
    program,
    `const { replaceFile } = await import(${module});
     await replaceFile(${JSON.stringify(path)}, 'one', { temporary: ${JSON.stringify(`${path}.new`)}, mode: 0o600 });`,
  );
  await run('strace', [
    '-f',
    '-y',
    '-e',
    'trace=fsync,rename,renameat,renameat2',
    '-o',
    trace,
    process.execPath,
    program,
  ]);
  const calls = (await readFile(trace, 'utf8')).split('\n').flatMap((line) => {
    const [, call, rest = ''] = /\b(fsync|rename)\w*\((.*)/.exec(line) ?? [];
    return call && rest.includes(folder) ? [`${call} ${rest.includes('settings.new') ? 'temporary' : 'folder'}`] : [];
  });
  t.strictSame(calls, ['fsync temporary', 'rename temporary', 'fsync folder']);
  t.equal(await flush(folder), undefined);
});
