/**
 * The user that runs the embedded PostgreSQL and the location of its files: root, an ordinary user, unusable folders.
 */
import { chmodSync, existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { vendor } from '../../vendor.ts';
import { chooseAccount } from '../embedded/account.ts';
import { findBinariesPackage, prepareBinaries, removeOldBinaries } from '../embedded/binaries.ts';
import { ensureHome, readLocation } from '../embedded/cluster.ts';
import { startEmbeddedPostgres } from '../embedded.ts';
import {
  createBoxFolder,
  isRoot,
  ordinaryUser,
  query,
  reasonToSkipOrdinaryUser,
  serverPid,
  startInOtherProcess,
  userOf,
} from './embedded-helpers.ts';

const rootOnly = isRoot ? false : 'only root has folders that others cannot enter';

t.test('root, in a folder that no other user can enter', { skip: rootOnly }, async (t) => {
  const directory = await createBoxFolder(t);
  chmodSync(dirname(directory), 0o700);
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);

  const first = await startEmbeddedPostgres({ directory, log });
  t.teardown(() => first.stop());
  await query(first.url, 'create table saved as select 1 as one');
  await first.stop();
  const location = (await readLocation(directory)) ?? '';
  t.equal(dirname(location), join('/var/lib', vendor.name));
  t.ok(
    lines.some((line) => line.includes(location)),
    'the log names the folder of the data',
  );
  t.notOk(existsSync(join(directory, 'data')));

  const second = await startEmbeddedPostgres({ directory, log });
  t.teardown(() => second.stop());
  t.equal(second.url, first.url);
  t.strictSame(await query(second.url, 'select one from saved'), [{ one: 1 }]);
  t.not(userOf(await serverPid(location)), 0);

  await t.test('a copy of the folder does not take over the server of the original', async (t) => {
    const copy = await createBoxFolder(t);
    await mkdir(copy);
    await writeFile(join(copy, 'location'), location);
    await t.rejects(startEmbeddedPostgres({ directory: copy }), { message: /is in use by another folder/ });
    t.strictSame(await query(second.url, 'select one from saved'), [{ one: 1 }]);
    await rm(join(copy, 'location'));
  });
  await second.stop();

  await t.test('data of a deleted folder is neither opened nor removed', async (t) => {
    await rm(join(directory, 'location'));
    const home = await ensureHome(directory, await chooseAccount(join(directory, 'data')), log);
    t.equal(home, `${location}-2`);
    t.ok(existsSync(join(location, 'data')));
    await rm(home, { recursive: true });
    await writeFile(join(directory, 'location'), location);
  });

  await t.test('missing data is not replaced by an empty database', async (t) => {
    const empty = await createBoxFolder(t);
    await mkdir(empty);
    await writeFile(join(empty, 'location'), join(dirname(empty), 'missing'));
    const message = /missing, which no longer exists: restore it/;
    await t.rejects(startEmbeddedPostgres({ directory: empty }), { message });
  });
});

t.test('an ordinary user', { skip: reasonToSkipOrdinaryUser() }, async (t) => {
  const directory = await createBoxFolder(t);
  await chown(dirname(directory), ordinaryUser, ordinaryUser);
  const box = startInOtherProcess(t, directory, { user: ordinaryUser });
  const { url, owned } = await box.line;
  t.equal(owned, true);
  t.equal(userOf(await serverPid(directory)), ordinaryUser);
  t.equal((await stat(join(directory, 'data'))).uid, ordinaryUser, 'the data stays in place');
  t.notOk(existsSync(join(directory, 'binaries')), 'and so do the binaries');
  await query(url, 'create table saved as select 1 as one');

  const joined = await startEmbeddedPostgres({ directory });
  t.equal(joined.owned, false, 'root connects to the server of an ordinary user');
  await box.kill();

  await t.test('root takes it over as the owner of the data', async (t) => {
    const next = await startEmbeddedPostgres({ directory });
    t.teardown(() => next.stop());
    t.strictSame(await query(next.url, 'select one from saved'), [{ one: 1 }]);
    await next.stop();
    const again = await startEmbeddedPostgres({ directory });
    t.teardown(() => again.stop());
    t.equal(userOf(await serverPid(directory)), ordinaryUser);
    await again.stop();
  });

  await t.test('data of another version is refused', async (t) => {
    const file = join(directory, 'data', 'PG_VERSION');
    const version = await readFile(file);
    await writeFile(file, '12\n');
    await t.rejects(startEmbeddedPostgres({ directory }), { message: /was created by PostgreSQL 12 .* pg_dump/ });
    await writeFile(file, version);
  });

  await t.test("another user's data is refused", async (t) => {
    await chown(join(directory, 'data'), 12_345, 12_345);
    const { error } = await startInOtherProcess(t, directory, { user: ordinaryUser }).line;
    t.match(error, /belongs to user 12345, not to user 65534/);
  });

  await t.test('a folder that the user cannot write to', async (t) => {
    const readOnly = await createBoxFolder(t);
    const { error } = await startInOtherProcess(t, readOnly, { user: ordinaryUser }).line;
    t.match(error, /^User 65534 cannot write in the folder .*DATABASE_URL/);
  });
});

t.test('files that are not a database are left alone', async (t) => {
  const directory = await createBoxFolder(t);
  await mkdir(join(directory, 'data'), { recursive: true });
  await writeFile(join(directory, 'data', 'letter.txt'), 'dear');
  await t.rejects(startEmbeddedPostgres({ directory }), { message: /contains files but no PostgreSQL data/ });
  t.strictSame(await readdir(join(directory, 'data')), ['letter.txt']);
});

t.test('binaries', async (t) => {
  const installed = findBinariesPackage();
  const parent = await createBoxFolder(t);
  const home = join(parent, 'home');
  await mkdir(home, { recursive: true });
  const account = await chooseAccount(join(home, 'data'));
  const lines: string[] = [];
  const prepare = (folder: string) => prepareBinaries(folder, home, account, (line) => lines.push(line));

  // As npm unpacks it: a tarball contains no symbolic links.
  const unpacked = join(parent, 'package');
  await cp(installed, unpacked, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(await readFile(join(unpacked, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
  const removeLinks = () => Promise.all(links.map(({ target }) => rm(join(unpacked, target), { force: true })));

  await t.test('missing links of a package are created in place', async (t) => {
    await removeLinks();
    const [binaries] = await Promise.all([prepare(unpacked), prepare(unpacked)]);
    t.equal(binaries.postgres, join(unpacked, 'native/bin/postgres'));
    t.equal(binaries.major, 18);
    t.ok(existsSync(join(unpacked, links[0]?.target ?? '')));
  });

  await t.test('a package that cannot be changed or reached is copied, once', async (t) => {
    await removeLinks();
    if (isRoot) await chmod(unpacked, 0o700);
    else for (const folder of ['native', 'native/lib']) await chmod(join(unpacked, folder), 0o555);
    const { version } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8')) as { version: string };
    await mkdir(join(home, 'binaries', '1.0.0'), { recursive: true });
    lines.length = 0;
    const binaries = await prepare(unpacked);
    t.equal(binaries.postgres, join(home, 'binaries', version, 'native/bin/postgres'));
    t.strictSame(await prepare(unpacked), binaries);
    t.equal(lines.length, 1);
    await removeOldBinaries(home, binaries);
    t.strictSame(await readdir(join(home, 'binaries')), [version], 'copies of other versions are removed');
    await chmod(unpacked, 0o755);
    for (const folder of ['native', 'native/lib']) await chmod(join(unpacked, folder), 0o755);
  });

  await t.test('no package installed', async (t) => {
    t.throws(() => findBinariesPackage(pathToFileURL(join(parent, 'module.js')).href), {
      message: /install the package .* or set DATABASE_URL/,
    });
  });
});
