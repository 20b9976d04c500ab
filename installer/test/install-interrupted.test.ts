/**
 * An install that is interrupted, by a signal or by the network, resumes.
 */
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { isOfLock } from '../box/lock.ts';
import { isAlive } from '../box/process-table.ts';
import { findRunningBox } from '../box/running.ts';
import { scope } from '../vendor.ts';
import { key, list, makeBox, until } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const parts = ['a', 'b', 'c', 'd'].map((letter) => makePackage({ name: `${scope}/part-${letter}` }));
const last = `${scope}/part-d`;
const packages = [`${scope}/runtime`, ...parts.map(({ manifest }) => manifest.name)];
const vendor = await startVendor([makeRuntime(), ...parts], { [key]: { tier: 'basic', packages } });
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.stalls.clear();
  vendor.breaks.clear();
  vendor.requests.length = 0;
});

const tarballs = () => vendor.requests.filter((line) => line.endsWith('.tgz'));

t.test('an install killed during the pull resumes', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.stalls.add(last);
  const cut = box.beginInstall();
  // Until all packages but the stalled one are on disk.
  await until(async () => {
    const [partial] = await list(box.folder.releases);
    if (!partial) return false;
    const names = await list(join(box.folder.releases, partial, 'node_modules', scope));
    return names.filter((name) => !name.endsWith('.incoming')).length === packages.length - 1;
  });
  cut.child.kill('SIGKILL');
  await cut.ended;
  const left = (await list(box.dir)).filter((name) => !isOfLock(name));
  t.same(left, ['.installation-id', 'releases'], 'no box is installed');
  t.match((await list(box.folder.releases)).join(), /^[^,]+\.partial$/);

  vendor.stalls.clear();
  vendor.requests.length = 0;
  const { end, events } = await box.install();
  t.match(end, { exitCode: 0, result: { running: true } });
  t.same(tarballs(), [`GET /${last}/-/part-d-0.1.0.tgz`], 'only the missing package is pulled');
  t.equal(events.filter(({ source }) => source === 'reused').length, packages.length - 1);
  const release = join(box.dir, 'current/node_modules', scope);
  t.same(
    await list(release),
    ['part-a', 'part-b', 'part-c', 'part-d', 'runtime'],
    'no incomplete package is in the release',
  );
});

t.test('an install killed while the box starts: the next one stops that box and finishes', async (t) => {
  const box = await makeBox(t, vendor);
  const runtime = `${scope}/runtime`;
  t.teardown(() => vendor.packages.set(runtime, makeRuntime()));
  vendor.packages.set(runtime, makeRuntime('0.1.0', 'never healthy'));
  const cut = box.beginInstall();
  await until(async () => (await findRunningBox(box.folder)) !== undefined && (await box.ask()) !== undefined);
  cut.child.kill('SIGKILL');
  await cut.ended;
  const orphan = await findRunningBox(box.folder);
  t.ok(orphan, 'the box outlives the command');
  t.match(await box.run(['status', '--json']), { exitCode: 12, end: { error: { code: 'not_installed' } } });

  vendor.packages.set(runtime, makeRuntime('0.2.0'));
  t.match(await box.install(), { exitCode: 0, end: { result: { running: true } } });
  t.match(await box.ask(), { version: '0.2.0' });
  t.notOk(orphan && (await isAlive(orphan)), 'the orphaned box is gone');
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
});

t.test('an update killed while the new box starts: status says so, and the next one finishes', async (t) => {
  const box = await makeBox(t, vendor);
  const runtime = `${scope}/runtime`;
  t.teardown(() => vendor.packages.set(runtime, makeRuntime()));
  vendor.packages.set(runtime, makeRuntime());
  const first = await box.install();
  vendor.packages.set(runtime, makeRuntime('0.2.0', 'never healthy'));
  const cut = box.beginInstall();
  await until(async () => (await box.ask())?.version === '0.2.0');
  cut.child.kill('SIGKILL');
  await cut.ended;
  t.equal(await readlink(box.folder.current), `releases/${first.end.result?.release}`, 'the old release is current');
  t.match(await box.run(['status', '--json']), { exitCode: 10, end: { result: { running: true, healthy: false } } });

  vendor.packages.set(runtime, makeRuntime('0.3.0'));
  t.match(await box.install(), { exitCode: 0 });
  t.match(await box.ask(), { version: '0.3.0' });
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
  t.same(
    (await list(box.folder.releases)).filter((name) => !/^[0-9a-f]{16}$/.test(name)),
    [],
    'nothing half-made remains',
  );
});

t.test('an install interrupted by SIGINT reports it and resumes', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.stalls.add(last);
  const cut = box.beginInstall();
  await until(() => tarballs().some((line) => line.includes('part-d')));
  cut.child.kill('SIGINT');
  t.match(await cut.ended, { exitCode: 130, end: { error: { code: 'interrupted' } } });
  t.notOk((await list(box.dir)).includes('current'));
  vendor.stalls.clear();
  t.match(await box.install(), { exitCode: 0 });
});

t.test('a broken connection is retried', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.breaks.set(last, 2);
  const { exitCode, events } = await box.install();
  t.equal(exitCode, 0);
  t.equal(tarballs().filter((line) => line.includes('part-d')).length, 3);
  t.equal(events.filter(({ event }) => event === 'warning').length, 2, 'each retry is reported');
});

t.test('a token that expires during the pull is renewed once for all downloads', async (t) => {
  const box = await makeBox(t, vendor);
  vendor.stalls.add(last);
  const pull = box.beginInstall();
  await until(() => tarballs().some((line) => line.includes('part-d')));
  vendor.tokens.clear();
  vendor.stalls.clear();
  vendor.breakStalled();
  t.match(await pull.ended, { exitCode: 0 });
  t.equal(vendor.requests.filter((line) => line.includes('/license/activate')).length, 2);
  t.notMatch(await readFile(box.folder.settings, 'utf8'), /token/i);
});
