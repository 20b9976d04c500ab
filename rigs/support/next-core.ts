/**
 * Later versions of the package `core` for releases of a rig: each with one more migration than the one before.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packageName } from '@carton/runtime';
import { extract } from 'tar';
import { vendor } from '../../runtime/vendor.ts';
import type { BuiltPackage } from '../../tools/packages/index.ts';
import { integrityOf, packTarball } from '../../tools/packages/tarball.ts';

/** File name of one of these migrations. */
export function migrationOf(number: number): string {
  return `99990101${String(number).padStart(6, '0')}_core_rig_${number}.js`;
}

/**
 * Builds the package again.
 * @param folder where files are written
 * @param number how many migrations it has more
 * @param additive the numbers of those that are declared as additive; the others count as not
 */
export async function coreWithMigrations(
  folder: string,
  built: readonly BuiltPackage[],
  number: number,
  additive: ReadonlySet<number> = new Set(),
): Promise<BuiltPackage> {
  const core = built.find(({ name }) => name === packageName('core')) as BuiltPackage;
  const source = join(folder, 'vendor', `core-${number}`);
  await mkdir(source, { recursive: true });
  await extract({ file: core.tarball, cwd: source, strip: 1 });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  const [major, minor, patch] = core.version.split('.').map(Number) as [number, number, number];
  const version = `${major}.${minor}.${patch + number}`;
  const own = manifest[vendor.name];
  for (let each = 1; each <= number; each++) {
    const table = `rig_${each}`;
    const file = migrationOf(each);
    const text = `export const up = (knex) => knex.raw('create table ${table} (tenant_id uuid not null, id uuid not null, primary key (tenant_id, id))');
export const down = (knex) => knex.raw('drop table ${table}');
`;
    await writeFile(join(source, 'migrations', file), text);
    if (additive.has(each)) own.migrations = { ...own.migrations, [file]: 'additive' };
  }
  await writeFile(join(source, 'package.json'), JSON.stringify({ ...manifest, version }));
  const names = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  const files = new Map(paths.map((path) => [relative(source, path), { from: path }]));
  const tarball = join(folder, 'vendor', `core-${number}.tgz`);
  await packTarball(files, tarball);
  return { ...core, version, tarball, integrity: await integrityOf(tarball) };
}
