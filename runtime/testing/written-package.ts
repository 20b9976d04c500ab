/**
 * A package for one test, written to a temporary folder beside its dependencies and mounted from there.
 */
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tier } from '../box/tier.ts';
import { packageName, vendor } from '../vendor.ts';
import { sourceRoot } from './packages.ts';

export interface WrittenPackage {
  /** Without the scope. */
  name: string;
  /** Default: basic. */
  tier?: Tier;
  /** Names of its dependencies without the scope. */
  dependencies: readonly string[];
  /** The text of its index.ts. */
  index: string;
  /** The text of its migration, if it has one. */
  migration?: string;
}

/**
 * Writes a package. Returns the options for `createTestBox` that mount it.
 * @param others names, without the scope, of further packages to mount
 */
export async function writePackage(
  t: { teardown(task: () => Promise<void>): void },
  { name, tier = 'basic', dependencies, index, migration }: WrittenPackage,
  others: readonly string[] = [],
) {
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const scope = join(folder, 'node_modules', vendor.scope);
  const own = join(folder, 'vendor', name);
  await mkdir(scope, { recursive: true });
  await mkdir(join(own, 'migrations'), { recursive: true });
  const installed = join(dirname(sourceRoot), 'node_modules', vendor.scope);
  for (const other of await readdir(installed)) {
    await symlink(await realpath(join(installed, other)), join(scope, other));
  }
  await symlink(own, join(scope, name));
  await writeFile(join(own, 'package.json'), manifestOf(name, tier, dependencies));
  await writeFile(join(own, 'index.ts'), index);
  if (migration) await writeFile(join(own, `migrations/20991231000000_${name}_create_${name}.js`), migration);
  await writeFile(join(folder, 'package.json'), '{}');
  return {
    packages: [...new Set([...dependencies, ...others, name])].map(packageName),
    packagesFrom: join(folder, 'package.json'),
  };
}

function manifestOf(name: string, tier: Tier, dependencies: readonly string[]): string {
  return JSON.stringify(
    {
      name: packageName(name),
      version: '1.0.0',
      type: 'module',
      exports: { '.': './index.ts', './package.json': './package.json' },
      dependencies: Object.fromEntries(dependencies.map((needed) => [packageName(needed), `^${vendor.version}`])),
      [vendor.name]: { tier },
    },
    null,
    2,
  );
}
