/**
 * `install` end to end: from a licence key to a healthy box, repeated without changes, and to another tier.
 */
import { lstat, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { readLock, releaseId } from '../release/lock-file.ts';
import { embeddedDatabasePrefix, scope } from '../vendor.ts';
import { type Answer, key, list, makeBox } from './support/box.ts';
import { makePackage, makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const here = `${embeddedDatabasePrefix}${process.platform}-${process.arch}`;
const elsewhere = `${embeddedDatabasePrefix}linux-riscv64`;
const names = [`${scope}/runtime`, `${scope}/core`, here, elsewhere];
const growthNames = [...names, `${scope}/gift-card`];

const vendor = await startVendor(
  [
    makeRuntime(),
    makePackage({ name: `${scope}/core`, dependencies: { [`${scope}/runtime`]: '^0.1.0' } }, [
      { path: 'migrations/20260101000000_core.js', content: '' },
    ]),
    makePackage({ name: `${scope}/gift-card`, dependencies: { [`${scope}/core`]: '0.1.0' } }),
    makePackage({ name: here, os: [process.platform], cpu: [process.arch] }, [
      { path: 'native/bin/postgres', content: '#!/bin/sh\n', mode: 0o755 },
    ]),
  ],
  { [key]: { tier: 'basic', packages: names }, other: { tier: 'growth', packages: growthNames } },
);
t.teardown(() => vendor.close());

/** The tarballs requested since the list was cleared. */
const tarballs = () => vendor.requests.filter((line) => line.endsWith('.tgz'));

t.test('a first install ends with a healthy box', async (t) => {
  const box = await makeBox(t, vendor);
  const { exitCode, events, end, stderr } = await box.install();
  t.equal(exitCode, 0, stderr);
  const id = end.result?.release ?? '';

  t.test('reports each step and then the result', async (t) => {
    t.strictSame(
      events.map(({ event }) => event).filter((event) => event !== 'waiting'),
      [
        'activated',
        'resolved',
        'package',
        'package',
        'package',
        'laid_out',
        'smoke_checked',
        'healthy',
        'backup_key',
        'result',
      ],
    );
    t.match(end, {
      exitCode: 0,
      result: { tier: 'basic', customerId: 'customer-1', changed: true, running: true, url: box.url },
    });
    t.same(Object.keys(end.result?.packages ?? {}).sort(), [`${scope}/core`, here, `${scope}/runtime`].sort());
  });

  t.test('lays the folder out as documented', async (t) => {
    t.same(await list(box.dir), [
      '.backup-key',
      '.installation-id',
      'box.env',
      'box.json',
      'current',
      'logs',
      'releases',
      'run',
    ]);
    const release = await readlink(box.folder.current);
    t.equal(release, join('releases', id));
    const lock = await readLock(join(box.dir, release));
    t.equal(lock && releaseId(lock), id);
    t.same(await list(box.folder.releases), [id], 'no partial release is left');
    const postgres = await stat(join(box.dir, 'current/node_modules', here, 'native/bin/postgres'));
    t.equal(postgres.mode & 0o777, 0o755, 'programs are executable');
  });

  t.test('stores secrets in a file that only the owner can read', async (t) => {
    t.equal((await lstat(box.folder.secrets)).mode & 0o777, 0o600);
    t.notMatch(await readFile(box.folder.settings, 'utf8'), /SECRET|ctn_/);
    t.notMatch(JSON.stringify(events), key, 'the key is in no output');
  });

  t.test('sets the environment of the box, without the licence key', async (t) => {
    const { environment, arguments: commandLine } = (await box.ask()) as Answer;
    t.match(environment, {
      HOST: '127.0.0.1',
      PORT: String(box.port),
      BOX_HOME: box.dir,
      BOX_PACKAGES: join(box.folder.releases, id, 'carton.lock.json'),
      OPERATOR_SECRET: /^[\w-]{43}$/,
      HOSTING_SECRET: /^[\w-]{43}$/,
      SECOND_FACTOR_KEY: /^[\w-]{43}$/,
    });
    t.notHas(environment, { LICENSE_KEY: key });
    t.notHas(environment, { CARTON_LICENSE_KEY: key });
    const { OPERATOR_SECRET, HOSTING_SECRET, SECOND_FACTOR_KEY } = environment;
    t.equal(new Set([OPERATOR_SECRET, HOSTING_SECRET, SECOND_FACTOR_KEY]).size, 3);
    t.equal(commandLine[1], join(box.folder.releases, id, 'node_modules', scope, 'runtime/dist/main.js'));
  });

  t.test('shows the backup key once', async (t) => {
    const text = (await readFile(box.folder.backupKey, 'utf8')).trim();
    t.equal((await lstat(box.folder.backupKey)).mode & 0o777, 0o600);
    t.match(
      events.find(({ event }) => event === 'backup_key'),
      { key: text, path: box.folder.backupKey },
    );
    t.notMatch(await readFile(box.folder.secrets, 'utf8'), text);
    t.notMatch(JSON.stringify((await box.install()).events), text);
  });

  t.test('a repeated install changes nothing and does not restart the box', async (t) => {
    const secrets = await readFile(box.folder.secrets, 'utf8');
    vendor.requests.length = 0;
    const again = await box.install();
    t.match(again.end, { exitCode: 0, result: { changed: false, running: true, pid: end.result?.pid } });
    t.same(tarballs(), [], 'no tarball is pulled');
    t.equal(await readFile(box.folder.secrets, 'utf8'), secrets);
  });

  t.test('a damaged file is detected and replaced', async (t) => {
    const file = join(box.dir, 'current/node_modules', scope, 'core/migrations/20260101000000_core.js');
    await writeFile(file, 'damaged');
    const repaired = await box.install();
    t.match(repaired.end, { exitCode: 0, result: { release: id, running: true } });
    t.equal(await readFile(file, 'utf8'), '');
  });

  t.test('lines that the operator added to box.env stay and reach the box', async (t) => {
    await writeFile(box.folder.secrets, `${await readFile(box.folder.secrets, 'utf8')}SMTP_PASSWORD='a b'\n`);
    await box.run(['stop']);
    t.match(await box.install(), { exitCode: 0 });
    t.match(await readFile(box.folder.secrets, 'utf8'), "SMTP_PASSWORD='a b'");
    t.equal((await box.ask())?.environment.SMTP_PASSWORD, 'a b');
  });
});

t.test(
  'with the key of a higher tier only the difference is pulled, and a lower tier returns to its release',
  async (t) => {
    const box = await makeBox(t, vendor);
    const first = await box.install();
    vendor.requests.length = 0;
    const up = await box.install([], { CARTON_LICENSE_KEY: 'other' });
    t.match(up.end, {
      exitCode: 0,
      result: { tier: 'growth', changed: true, packages: { [`${scope}/gift-card`]: '0.1.0' } },
    });
    t.same(tarballs(), [`GET /${scope}/gift-card/-/gift-card-0.1.0.tgz`]);
    t.not(up.end.result?.pid, first.end.result?.pid, 'another process');
    t.equal(JSON.parse(await readFile(box.folder.settings, 'utf8')).tier, 'growth');

    const down = await box.install();
    t.match(down.end, { exitCode: 0, result: { tier: 'basic', release: first.end.result?.release } });
    t.notOk(down.end.result?.packages[`${scope}/gift-card`]);
  },
);

t.test('a later install uses the stored key', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install(['--no-start']);
  t.match(await box.install(['--no-start'], { CARTON_LICENSE_KEY: undefined }), { exitCode: 0 });
});

t.test('--no-start makes the release current, and start runs it', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install(['--no-start']);
  t.match(end, { exitCode: 0, result: { running: false } });
  t.equal(await box.ask(), undefined);
  t.match(await box.run(['start', '--json']), {
    exitCode: 0,
    end: { result: { url: box.url, alreadyRunning: false } },
  });
  t.match(await box.ask(), { version: '0.1.0' });
});

t.test('with the operator’s own database, the embedded one is not pulled', async (t) => {
  const box = await makeBox(t, vendor);
  const { end } = await box.install([], { DATABASE_URL: 'postgres://u:p%27@db.example/box?sslmode=require&x=1' });
  t.notOk(end.result?.packages[here]);
  t.equal((await box.ask())?.environment.DATABASE_URL, 'postgres://u:p%27@db.example/box?sslmode=require&x=1');

  const moved = await box.install([], { DATABASE_URL: 'postgres://u@elsewhere.example/box' });
  t.equal(moved.end.result?.changed, false, 'an environment variable does not move an installed box');
  t.strictSame(
    moved.events.map(({ event }) => event),
    ['warning', 'activated', 'resolved', 'result'],
  );
});

t.test('of a native library, only the package for this platform is pulled', async (t) => {
  const library = `${scope}/lens-${process.platform}-${process.arch}`;
  const images = `${scope}/images`;
  const parts = { [library]: '2.0.0-parts.d1', [`${scope}/lens-linux-riscv64`]: '2.0.0-parts.d1', [here]: '0.1.0' };
  vendor.packages.set(images, makePackage({ name: images, optionalDependencies: parts }));
  vendor.packages.set(library, makePackage({ name: library, version: '2.0.0-parts.d1', os: [process.platform] }));
  vendor.licences.set('images', { tier: 'basic', packages: [...names, images] });
  const box = await makeBox(t, vendor);
  vendor.requests.length = 0;
  const { end, exitCode } = await box.install(['--no-start'], { CARTON_LICENSE_KEY: 'images' });
  t.equal(exitCode, 0);
  const pulled = [`${scope}/core`, images, library, here, `${scope}/runtime`].sort();
  t.strictSame(Object.keys(end.result?.packages ?? {}).sort(), pulled);
  t.equal(end.result?.packages[library], '2.0.0-parts.d1');
  t.notOk(vendor.requests.some((line) => line.includes('riscv64')));

  vendor.packages.delete(library);
  const without = await makeBox(t, vendor);
  const refused = await without.install(['--no-start'], { CARTON_LICENSE_KEY: 'images' });
  t.match(refused.end, { error: { code: 'registry_refused', message: library } });
});

t.test('the port and host may change later', async (t) => {
  const box = await makeBox(t, vendor);
  const other = await makeBox(t, vendor);
  await box.install();
  const { end } = await box.run(['install', '--json', '--port', String(other.port)]);
  t.match(end, { exitCode: 0, result: { changed: true, url: other.url } });
  t.equal(await box.ask(), undefined);
  t.match(await other.ask(), { version: '0.1.0' });
});
