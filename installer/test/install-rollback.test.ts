/**
 * A new release that does not become healthy is rolled back: the old box runs again and its release stays current.
 */
import { readFile, readlink } from 'node:fs/promises';
import t from 'tap';
import { scope } from '../vendor.ts';
import { key, list, makeBox, until } from './support/box.ts';
import { type Behaviour, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());
t.beforeEach(() => {
  vendor.packages.set(`${scope}/runtime`, makeRuntime());
});

const publish = (version: string, behaviour?: Behaviour) =>
  vendor.packages.set(`${scope}/runtime`, makeRuntime(version, behaviour));

t.test('a release that exits during its start', async (t) => {
  const box = await makeBox(t, vendor);
  const first = await box.install();
  const settings = await readFile(box.folder.settings, 'utf8');
  publish('0.2.0', 'exits immediately');
  const { end, exitCode } = await box.install();
  t.equal(exitCode, 18);
  t.match(end.error, {
    code: 'taken_back',
    message: /migration 20260101000000_broken\.js failed: relation exists; rolled back/,
    restored: true,
    lastLines: { length: 1, 0: String },
  });
  t.match(await box.ask(), { version: '0.1.0' });
  t.equal(await readlink(box.folder.current), `releases/${first.end.result?.release}`);
  t.equal(await readFile(box.folder.settings, 'utf8'), settings);
  t.match(await box.run(['status', '--json']), { exitCode: 0 });
});

t.test('a release that never becomes healthy', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  publish('0.2.0', 'never healthy');
  t.match(await box.install(['--health-timeout', '1']), { exitCode: 18, end: { error: { restored: true } } });
  t.match(await box.ask(), { version: '0.1.0' });

  publish('0.3.0');
  t.match(await box.install(), { exitCode: 0 }, 'a good release is then installed');
  t.match(await box.ask(), { version: '0.3.0' });
  t.equal((await list(box.folder.releases)).filter((name) => name.endsWith('.partial')).length, 0);
});

t.test('a healthy release that fails its smoke check', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const cases: [Behaviour, RegExp][] = [
    ['breaks its products', /GET \/products of the store second responded with 500; rolled back/],
    ['breaks its document', /GET \/docs\/json responded with an invalid body; rolled back/],
  ];
  for (const [behaviour, message] of cases) {
    publish('0.2.0', behaviour);
    t.match(await box.install(), {
      exitCode: 18,
      end: { error: { code: 'taken_back', message, restored: true } },
    });
    t.match(await box.ask(), { version: '0.1.0' });
  }
  const other = await makeBox(t, vendor);
  publish('0.2.0', 'breaks its products');
  t.match(await other.install(), { exitCode: 10, end: { error: { code: 'box_not_healthy' } } }, 'a first install');
  t.equal(await other.ask(), undefined);
});

t.test('an interrupted upgrade is rolled back', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  publish('0.2.0', 'never healthy');
  const upgrade = box.beginInstall();
  await until(() => box.ask().then((answer) => answer?.version === '0.2.0'));
  upgrade.child.kill('SIGTERM');
  t.match(await upgrade.ended, { exitCode: 130, end: { error: { restored: true } } });
  t.match(await box.ask(), { version: '0.1.0' });
});

t.test('a first install whose box never becomes healthy leaves no box', async (t) => {
  const box = await makeBox(t, vendor);
  publish('0.1.0', 'exits immediately');
  const { exitCode, end } = await box.install();
  t.equal(exitCode, 10);
  t.match(end.error?.message, /relation exists/);
  t.same(await list(box.dir), ['.installation-id', 'logs', 'releases'], 'the log stays, since it contains the cause');
  t.match((await list(box.folder.releases)).join(), /^[^,]+\.partial$/);
  publish('0.1.0');
  t.match(await box.install(), { exitCode: 0 });
});

t.test('a box in the foreground is replaced under the same parent', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  const parent = box.begin(['start', '--foreground', '--json']);
  await parent.printed('"event":"healthy"');
  t.match(await box.run(['status', '--json']), { exitCode: 0 });

  t.test('with a good release', async (t) => {
    publish('0.2.0');
    t.match(await box.install(), { exitCode: 0, end: { result: { changed: true } } });
    t.match(await box.ask(), { version: '0.2.0' });
    t.equal(parent.child.exitCode, null, 'the parent keeps running');
  });
  t.test('with a bad release, which is rolled back', async (t) => {
    publish('0.3.0', 'exits immediately');
    t.match(await box.install(), { exitCode: 18, end: { error: { restored: true } } });
    t.match(await box.ask(), { version: '0.2.0' });
    t.equal(parent.child.exitCode, null);
    publish('0.3.0', 'never healthy');
    t.match(await box.install(['--health-timeout', '1']), { exitCode: 18, end: { error: { restored: true } } });
    t.match(await box.ask(), { version: '0.2.0' });
  });
  t.test('the parent exits when the box is stopped', async (t) => {
    t.match(await box.run(['stop', '--json']), { exitCode: 0 });
    t.match(await parent.ended, { exitCode: 0 });
    t.same(await list(box.folder.run), []);
  });
});
