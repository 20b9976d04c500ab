/**
 * Which pending migrations are additive: those of a package that is new to the box may change what the package has created.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { boxFolder, releaseFolder } from '../box/folder.ts';
import { packageFolder } from '../release/layout.ts';
import { createLock, formatLock } from '../release/lock-file.ts';
import { toMigrations } from '../release/migrations.ts';
import { pendingMigrations } from '../upgrade/pending.ts';
import { lockFileName, scope } from '../vendor.ts';

const name = `${scope}/collection`;
const kinds = { '1_create.js': 'additive', '2_constrain.js': 'additiveIfNew', '3_fill.js': 'changing' };
const migrations = toMigrations(name, Object.keys(kinds), kinds);

t.test('of a new package', async (t) => {
  const folder = boxFolder(t.testdir());
  const { migrations: pending } = await pendingMigrations(folder, undefined, migrations);
  t.match(
    pending.map(({ file, additive }) => [file, additive]),
    exactly([exactly(['1_create.js', true]), exactly(['2_constrain.js', true]), exactly(['3_fill.js', false])]),
  );
});

t.test('of a package that the box has', async (t) => {
  const folder = boxFolder(t.testdir());
  const release = releaseFolder(folder, 'installed');
  const path = packageFolder(release, name);
  await mkdir(join(path, 'migrations'), { recursive: true });
  await writeFile(join(path, 'package.json'), JSON.stringify({ name }));
  await writeFile(join(path, 'migrations/1_create.js'), '');
  const lock = createLock('basic', []);
  await writeFile(
    join(release, lockFileName),
    formatLock({ ...lock, packages: { [name]: { version: '1.0.0', integrity: 'sha512-x' } } } as typeof lock),
  );
  const { migrations: pending } = await pendingMigrations(folder, 'installed', migrations);
  t.match(
    pending.map(({ file, additive }) => [file, additive]),
    exactly([exactly(['2_constrain.js', false]), exactly(['3_fill.js', false])]),
  );
});
