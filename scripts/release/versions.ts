/**
 * Plans new versions: for packages that changed since the last release, and for those whose ranges do not include the
 * new versions.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import semver from 'semver';
import type { Release } from '../../control-plane/releases/schemas.ts';
import type { BuiltPackage } from '../../tools/packages/index.ts';
import type { Manifest, Source } from '../../tools/packages/sources.ts';

export type Level = 'patch' | 'minor' | 'major';
const levels: readonly Level[] = ['patch', 'minor', 'major'];

/** A package with a new version. `because` lists the dependencies whose new versions it needs. */
export interface NewVersion {
  name: string;
  from: string;
  to: string;
  because: string[];
}

export interface VersionPlan {
  /** Of the release, raised by the highest level of its packages. */
  version: string;
  packages: NewVersion[];
  /** New manifests, by folder relative to the checkout. */
  manifests: Map<string, Manifest>;
}

export interface PlanOptions {
  root: string;
  /** The published packages of the checkout: the engine and the products. */
  sources: readonly Source[];
  built: readonly BuiltPackage[];
  released: Release;
  /** Returns how far a changed package is raised. */
  levelOf(name: string): Level;
}

/**
 * Plans the next release. A package whose tarball differs from the released one gets a new version, unless its version
 * was already raised by hand. If the range of a dependent package does not include it, the range and the version of the
 * dependent package are raised too.
 */
export function planVersions({ root, sources, built, released, levelOf }: PlanOptions): VersionPlan {
  const manifests = new Map(sources.map(({ manifest }) => [manifest.name, structuredClone(manifest)]));
  const before = new Map(released.packages.map((entry) => [entry.name, entry]));
  const raised = new Map<string, NewVersion>();

  for (const { name, version, integrity } of built) {
    const manifest = manifests.get(name);
    const former = before.get(name);
    if (!manifest || !former || former.integrity === integrity) continue;
    const to = version === former.version ? (semver.inc(version, levelOf(name)) as string) : version;
    raised.set(name, { name, from: former.version, to, because: [] });
    manifest.version = to;
  }
  for (const changes = [...raised.keys()]; changes.length > 0; ) {
    const changed = changes.shift() as string;
    const { to } = raised.get(changed) as NewVersion;
    for (const [name, manifest] of manifests) {
      if (!raiseRange(manifest, changed, to)) continue;
      const known = raised.get(name);
      if (known) {
        known.because.push(changed);
        continue;
      }
      const from = manifest.version;
      manifest.version = semver.inc(from, 'patch') as string;
      raised.set(name, { name, from, to: manifest.version, because: [changed] });
      changes.push(name);
    }
  }
  const packages = [...raised.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const reached = packages.map(({ from, to }) => levels.indexOf((semver.diff(from, to) ?? 'patch') as Level));
  const highest = levels[Math.max(0, ...reached)] as Level;
  const folders = sources.map(
    ({ manifest: { name }, folder }) => [relative(root, folder), manifests.get(name)] as const,
  );
  return {
    version: semver.inc(released.version.split('+')[0] as string, highest) as string,
    packages,
    manifests: new Map(folders as [string, Manifest][]),
  };
}

/** Raises the range of a dependency if it does not include the version. Returns whether it was raised. */
export function raiseRange(manifest: Manifest, name: string, version: string): boolean {
  const range = manifest.dependencies?.[name];
  if (range === undefined || semver.satisfies(version, range)) return false;
  manifest.dependencies = { ...manifest.dependencies, [name]: `^${version}` };
  return true;
}

/** Folders that are not published as packages and have the version of the release. */
const unpublishedFolders = ['', 'control-plane', 'control-plane/registry', 'installer'];

/** Writes the manifests of a plan, those with the release's version, and the lock file. Returns the changed files. */
export async function writeVersions(root: string, { version, packages, manifests }: VersionPlan): Promise<string[]> {
  const changed = new Map(manifests);
  for (const folder of unpublishedFolders) {
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    manifest.version = version;
    for (const { name, to } of packages) raiseRange(manifest, name, to);
    changed.set(folder, manifest);
  }
  const lockFile = join(root, 'package-lock.json');
  const lock = JSON.parse(await readFile(lockFile, 'utf8')) as { version: string; packages: Record<string, Manifest> };
  lock.version = version;
  const written: string[] = [];
  for (const [folder, manifest] of changed) {
    const file = join(root, folder, 'package.json');
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    const locked = lock.packages[folder];
    if (locked) {
      locked.version = manifest.version;
      if (manifest.dependencies) locked.dependencies = manifest.dependencies;
    }
    if (text === (await readFile(file, 'utf8'))) continue;
    await writeFile(file, text);
    written.push(relative(root, file));
  }
  await writeFile(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
  return [...written.sort(), 'package-lock.json'];
}
