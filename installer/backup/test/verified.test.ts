/**
 * Who can write where backups are must not be able to change one: of what a restore reads, every byte is sealed by the backup
 * key of the box, or encrypted. The steps are those of an attack, which ran code as root once.
 */
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { backup } from '../../commands/backup/backup.ts';
import { proveLastBackup } from '../../commands/doctor/backup.ts';
import { type RestoreOptions, restore } from '../../commands/restore/restore.ts';
import { silent } from '../../output/output.ts';
import { useCheapKeys } from '../encryption.ts';
import { generateBackupKey, readBackupKey } from '../key.ts';
import { folderPlace } from '../open-place.ts';
import { digestOf, readBackup } from '../read.ts';
import {
  addingLines,
  changedJson,
  changing,
  type Entry,
  entriesOf,
  tamper,
  withoutSeals,
  writeEntries,
} from '../testing/tampered.ts';
import { emptyBox, startBox } from './support/box.ts';

const output = silent;
t.teardown(useCheapKeys());
const box = await startBox(t);
const { root: dir } = box.folder;
const at = (name: string) => join(dir, '..', name);
const evil = at('evil.cjs');
const preload = `NODE_OPTIONS=--require ${evil}`;
const path = at('backup.tar.zst');
await backup({ dir, to: path }, output);
const keyFile = box.folder.backupKey;

/** Restores into a new folder, which must stay empty after a refusal. */
async function tryRestore(t: Test, path: string, options: Partial<RestoreOptions> = {}) {
  const folder = await emptyBox(t);
  const restored = restore({ dir: folder.root, path, ...options }, output);
  const result = await restored.then(
    (value) => ({ value, error: undefined }),
    (error) => ({ value: undefined, error }),
  );
  if (result.error) {
    const names = (await readdir(folder.root)).filter((name) => !['current', 'releases'].includes(name));
    t.ok(
      names.every((name) => name === 'data'),
      `nothing was restored: ${names}`,
    );
  }
  return { ...result, folder };
}

t.test('With the key of the box its backup is restored on another machine, which then has the key', async (t) => {
  t.equal((await stat(keyFile)).mode & 0o777, 0o600);
  t.match(await readFile(keyFile, 'utf8'), /^ctn_backup_[a-z2-7]{52}_[a-z2-7]{6}\n$/);
  const paths = (await entriesOf(path)).map((entry) => entry.content.toString('latin1')).join('');
  t.notMatch(paths, /ctn_backup_/, 'the key is in no backup');
  const { value, folder } = await tryRestore(t, path, { backupKeyFile: keyFile });
  t.match(value, { verifiedBy: 'backup key', leftOut: exactly([]), counts: { 'public.orders': 100 } });
  t.equal(await readFile(folder.backupKey, 'utf8'), await readFile(keyFile, 'utf8'));
  t.equal((await stat(folder.backupKey)).mode & 0o777, 0o600);
});

t.test('Without the key, with that of another box or a mistyped one, nothing is restored', async (t) => {
  t.match((await tryRestore(t, path)).error, { code: 'unverified', exitCode: 24, message: /which is not here$/ });
  const other = at('other.txt');
  await writeFile(other, generateBackupKey().text);
  const refused = await tryRestore(t, path, { backupKeyFile: other });
  t.match(refused.error, {
    code: 'unverified',
    message: /and not with/,
    advice: /--allow-unverified .* cannot be known/,
  });
  await writeFile(other, (await readFile(keyFile, 'utf8')).replace(/.\n/, 'a'));
  const text = await readFile(keyFile, 'utf8');
  await writeFile(
    other,
    text.replace(/_(.)/, (_, first) => `_${first === 'a' ? 'b' : 'a'}`),
  );
  t.match((await tryRestore(t, path, { backupKeyFile: other })).error, { code: 'usage', message: /mistyped/ });
  process.env.CARTON_BACKUP_KEY = text;
  t.teardown(() => delete process.env.CARTON_BACKUP_KEY);
  t.match((await tryRestore(t, path)).value, { verifiedBy: 'backup key' }, 'by the environment');
});

t.test('A changed backup is refused, however its digests were computed, also with --allow-unverified', async (t) => {
  const second = at('second.tar.zst');
  await box.query("insert into orders (text) values ('later')");
  await backup({ dir, to: second }, output);
  const ofSecond = await entriesOf(second);
  const manifestOf = (entries: Entry[]) => entries.find((entry) => entry.path === 'manifest.json') as Entry;
  const data = (entries: Entry[]) => entries.findIndex((entry) => entry.path.endsWith('/PG_VERSION'));
  const to = at('changed.tar.zst');
  const faults: [string, () => Promise<void>][] = [
    ['a variable added to box.env', () => tamper(path, to, addingLines(preload))],
    [
      'another control plane in box.json',
      () =>
        tamper(
          path,
          to,
          changing('settings/box.json', (entry) =>
            changedJson(entry, (value) => ({ ...value, controlPlaneUrl: 'http://evil.example' })),
          ),
        ),
    ],
    [
      'other packages in the lock file',
      () =>
        tamper(
          path,
          to,
          changing(`release/carton.lock.json`, (entry) =>
            changedJson(entry, (value) => ({ ...value, tier: 'growth' })),
          ),
        ),
    ],
    [
      'a head of another time',
      () =>
        tamper(
          path,
          to,
          changing('backup.json', (entry) => changedJson(entry, (value) => ({ ...value, bytes: 1 }))),
        ),
    ],
    [
      'a file of the database',
      () =>
        tamper(
          path,
          to,
          changing('database/data/postgresql.auto.conf', (entry) => ({
            ...entry,
            content: Buffer.from(`archive_command = 'node ${evil}'\n`),
          })),
        ),
    ],
    [
      'a file added',
      () =>
        tamper(path, to, (entries) =>
          entries.toSpliced(-1, 0, { path: 'files/media/x', isFolder: false, content: Buffer.from('x') }),
        ),
    ],
    [
      'a folder added',
      () =>
        tamper(path, to, (entries) =>
          entries.toSpliced(-1, 0, { path: 'database/data/standby.signal', isFolder: true, content: Buffer.alloc(0) }),
        ),
    ],
    ['a file left out', () => tamper(path, to, (entries) => entries.toSpliced(data(entries), 1))],
    [
      'a file left out of what the manifest lists',
      async () => {
        const entries = await entriesOf(path);
        await writeEntries(to, entries.toSpliced(data(entries), 1));
      },
    ],
    [
      'a file in the place of another, twice',
      async () => {
        const entries = await entriesOf(path);
        const empty = entries.filter((entry) => /\/base\/.*\d$/.test(entry.path) && entry.content.length === 0);
        const [one, two] = empty.map((entry) => entries.indexOf(entry)) as [number, number];
        await writeEntries(to, entries.with(two, entries[one] as Entry));
      },
    ],
    [
      'the manifests of two backups swapped',
      async () => {
        const entries = await entriesOf(path);
        await writeEntries(to, entries.with(-1, manifestOf(ofSecond)));
      },
    ],
    [
      'the data of another backup after the settings of this one',
      async () => {
        const entries = await entriesOf(path);
        await writeEntries(to, [...entries.slice(0, 4), ...ofSecond.slice(4)]);
      },
    ],
    [
      'the seal of the manifest removed',
      () =>
        tamper(
          path,
          to,
          changing('manifest.json', (entry) => changedJson(entry, ({ seal: _, ...rest }) => rest)),
        ),
    ],
  ];
  for (const [name, make] of faults) {
    await make();
    for (const allowUnverified of [false, true]) {
      const verification = { key: await readBackupKey(box.folder), allowUnverified };
      const changed = { place: folderPlace(dirname(to)), name: basename(to), verification };
      let begun = false;
      const begin = async () => {
        begun = true;
      };
      await t.rejects(readBackup(changed, begin, digestOf), { code: 'integrity_failed' }, name);
      t.equal(begun, !/box\.env|box\.json|lock file|head/.test(name), 'changed settings are not used');
    }
  }
  const restored = { backupKeyFile: keyFile, allowUnverified: true };
  t.match((await tryRestore(t, to, restored)).error, { code: 'integrity_failed', exitCode: 7 });
  await tamper(path, to, addingLines(preload));
  t.match((await tryRestore(t, to, restored)).error, { code: 'integrity_failed', exitCode: 7 });
  await writeFile(to, await readFile(path));
  await truncate(to, (await stat(path)).size - 100);
  t.match((await tryRestore(t, to, { backupKeyFile: keyFile })).error, { code: 'integrity_failed' }, 'cut off');
});

t.test('One without seals is restored with --allow-unverified, and sets no process environment', async (t) => {
  const to = at('unsealed.tar.zst');
  const lines = [preload, 'LD_PRELOAD=/tmp/evil.so', 'PATH=/tmp/evil', 'npm_config_x=1', 'OWN=1', 'DRAIN_SECONDS=7'];
  const unseal = (entries: Entry[]) => withoutSeals(addingLines(...lines)(entries));
  await tamper(path, to, unseal);
  for (const options of [{}, { backupKeyFile: keyFile }]) {
    const { error } = await tryRestore(t, to, options);
    t.match(error, { code: 'unverified', message: /has no seal/, advice: /cannot be known/ });
  }
  const { value, folder } = await tryRestore(t, to, { allowUnverified: true, backupKeyFile: keyFile });
  const leftOut = ['LD_PRELOAD', 'NODE_OPTIONS', 'OWN', 'PATH', 'npm_config_x'];
  t.match(value, { verifiedBy: 'nothing', leftOut: exactly(leftOut) });
  const restored = await readFile(folder.secrets, 'utf8');
  t.notMatch(restored, /NODE_OPTIONS|LD_PRELOAD|PATH=|npm_|OWN/);
  t.match(restored, /DRAIN_SECONDS=7/);
  t.equal(await readBackupKey(folder), undefined, 'a key that has verified nothing is not kept');
  await tamper(path, to, (entries) =>
    withoutSeals(entries).toSpliced(-1, 0, { path: 'files/postgresql/x', isFolder: false, content: Buffer.from('x') }),
  );
  const { error } = await tryRestore(t, to, { allowUnverified: true });
  t.match(error, { code: 'integrity_failed', message: /wrong place/ }, 'the database is no file among others');
});

t.test('A sealed backup also sets no process environment', async (t) => {
  const before = await readFile(box.folder.secrets, 'utf8');
  await writeFile(box.folder.secrets, `${before}${preload}\nLD_LIBRARY_PATH=/tmp\n`);
  const to = at('own.tar.zst');
  await backup({ dir, to }, output).finally(() => writeFile(box.folder.secrets, before));
  const { value, folder } = await tryRestore(t, to, { backupKeyFile: keyFile });
  t.match(value, { verifiedBy: 'backup key', leftOut: exactly(['LD_LIBRARY_PATH', 'NODE_OPTIONS']) });
  t.equal(await readFile(folder.secrets, 'utf8'), before);
});

t.test('A passphrase verifies what is encrypted, and nothing else', async (t) => {
  const passphraseFile = at('passphrase');
  await writeFile(passphraseFile, 'five random words are enough\n');
  const to = at('encrypted.tar.zst.enc');
  await backup({ dir, to, passphraseFile }, output);
  t.match((await tryRestore(t, to, { passphraseFile })).value, { verifiedBy: 'passphrase' });
  await tamper(path, to, withoutSeals);
  const { error } = await tryRestore(t, to, { passphraseFile });
  t.match(error, { code: 'unverified' }, 'one in its place that is not encrypted');
});

t.test('doctor --backup does not start a database of a changed backup', async (t) => {
  const taken = await backup({ dir }, output);
  t.match(await proveLastBackup(box.folder, { output }), { rows: Number });
  const bytes = (await stat(taken.path)).size;
  const replace = async (change: (entries: Entry[]) => Entry[]) => {
    const catalogue = join(dir, 'backups/.carton-backups.json');
    await tamper(path, taken.path, change);
    const { size } = await stat(taken.path);
    await writeFile(catalogue, (await readFile(catalogue, 'utf8')).replaceAll(/"bytes": \d+/g, `"bytes": ${size}`));
  };
  t.ok(bytes > 0);
  await replace(withoutSeals);
  await t.rejects(proveLastBackup(box.folder, { output }), { code: 'unverified' });
  await replace(addingLines(preload));
  await t.rejects(proveLastBackup(box.folder, { output }), { code: 'integrity_failed' });
  await rm(join(dir, 'backups'), { recursive: true });
});

t.test('A catalogue that was changed leads to no other file', async (t) => {
  const to = at('kept');
  const victim = at('victim.tar.zst');
  await writeFile(victim, 'mine');
  const first = await backup({ dir, to }, output);
  const catalogue = join(to, '.carton-backups.json');
  const entries = JSON.parse(await readFile(catalogue, 'utf8'));
  const forged = { ...entries[0], file: '../victim.tar.zst', bytes: 4, time: '2020-01-01T00:00:00.000Z' };
  await writeFile(catalogue, JSON.stringify([forged, ...entries]));
  const second = await backup({ dir, to, keep: 1 }, output);
  t.match(
    second.removed.map((name) => join(to, name)),
    exactly([first.path]),
  );
  t.equal(await readFile(victim, 'utf8'), 'mine');
});
