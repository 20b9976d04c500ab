// What is known of the last build, so that packages are built again only if something that they depend on has changed.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { BuiltPackage } from './built-package.ts';
import type { Source, Workspace } from './sources.ts';
import { integrityOf } from './tarball.ts';

const cacheFile = 'built.json';

/**
 * A digest of all inputs of the tarballs: sources, this builder, the versions of tools and libraries, and the optional
 * dependencies.
 */
export async function digestSources(
  { root, runtime, packages, bundled }: Workspace,
  requested: Source[],
  optional: readonly Record<string, string>[],
): Promise<string> {
  const digest = createHash('sha256').update(process.version);
  digest.update(JSON.stringify(requested.map(({ manifest }) => manifest.name)));
  digest.update(JSON.stringify(optional));
  // The declarations of a package depend on other packages, so all sources are included.
  const folders = [
    ...[...packages, ...bundled].map(({ folder }) => folder),
    ...(runtime === undefined ? [] : [runtime.folder]),
    import.meta.dirname,
  ];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || /\/(node_modules|dist|test)\//.test(path.slice(folder.length))) continue;
      digest.update(`${basename(folder)} ${relative(folder, path)}\0`).update(await readFile(path));
    }
  }
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE']) {
    if (existsSync(join(root, name))) digest.update(`${name}\0`).update(await readFile(join(root, name)));
  }
  return digest.digest('hex');
}

/** Returns the packages of the last build by name, if its inputs were the same and its tarballs are unchanged. */
export async function readCache(out: string, state: string): Promise<Map<string, BuiltPackage> | undefined> {
  const text = await readFile(join(out, cacheFile), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const cached = JSON.parse(text) as { state: string; packages: BuiltPackage[] };
  if (cached.state !== state) return undefined;
  for (const { tarball, integrity } of cached.packages) {
    if (!existsSync(tarball) || (await integrityOf(tarball)) !== integrity) return undefined;
  }
  return new Map(cached.packages.map((built) => [built.name, built]));
}

/** Remembers the packages of a build and the digest of its inputs. */
export async function writeCache(out: string, state: string, packages: readonly BuiltPackage[]): Promise<void> {
  await writeFile(join(out, cacheFile), JSON.stringify({ state, packages }));
}
