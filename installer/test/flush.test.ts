/**
 * What a power failure cannot undo: a release is on disk before it becomes current. The order of the calls is that which
 * strace sees.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingPrograms } from '@carton/runtime/testing';
import t from 'tap';
import { scope } from '../vendor.ts';
import { key, makeBox, type TestBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const skip = missingPrograms('strace');

t.test('a release is flushed to disk before it becomes current', { skip }, async (t) => {
  const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
  t.teardown(() => vendor.close());
  const box = await makeBox(t, vendor);
  const first = await traceInstall(box);
  t.match(first.end, { exitCode: 0, result: { changed: true } });
  const release = join(box.folder.releases, first.end.result?.release ?? '');
  t.strictSame(first.calls, [`flush ${release}`, 'switch']);

  // As a kill leaves it that comes between the two.
  await rm(box.folder.current);
  t.strictSame((await traceInstall(box)).calls, [`flush ${release}`, 'switch'], 'also one that was complete before');

  t.strictSame((await traceInstall(box)).calls, [], 'the current one has been');

  await writeFile(join(release, 'node_modules', scope, 'runtime/dist/main.js'), '');
  const calls = [`flush ${release}.partial`, `rename ${release}`];
  t.strictSame((await traceInstall(box)).calls, calls, 'what replaces the damaged current one is, too');
});

/** Runs an install. Resolves also to its flushes that have ended, its switch, and renames that replace the release. */
async function traceInstall(box: TestBox) {
  const trace = join(box.dir, '..', 'calls');
  const calls = 'trace=execve,rename,renameat,renameat2';
  const { end } = await box.installBy(['strace', '-f', '-q', '-e', calls, '-s', '4096', '-o', trace], ['--no-start']);
  const lines = (await readFile(trace, 'utf8')).split('\n');
  const isReplaced = lines.some((line) => line.includes('.damaged"'));
  const flushed = new Map<string, string>();
  const seen: string[] = [];
  for (const line of lines) {
    const pid = line.split(' ', 1)[0] ?? '';
    const folder = /execve\("[^"]*\/sync", \["sync", "-f", "([^"]+)"\].* = 0$/.exec(line)?.[1];
    if (folder) flushed.set(pid, folder);
    if (line.includes('exited with 0') && flushed.has(pid)) seen.push(`flush ${flushed.get(pid)}`);
    const target = /rename\w*\(.*"([^"]+)"/.exec(line)?.[1];
    if (target === box.folder.current) seen.push('switch');
    if (isReplaced && target && /\/releases\/[0-9a-f]{16}$/.test(target)) seen.push(`rename ${target}`);
  }
  return { end, calls: seen };
}
