/**
 * Resolving the packages of a licence: those that this machine can run, in the versions of the release. Their
 * dependencies are checked before anything is downloaded.
 */
import { satisfies } from 'semver';
import type { Release } from '../control-plane.ts';
import { Failure } from '../failure.ts';
import { type Migration, toMigrations } from '../release/migrations.ts';
import { embeddedDatabasePrefix, runtimePackage, scope } from '../vendor.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Manifest } from './packument.ts';
import type { Registry } from './registry.ts';

/** A package to be installed. */
export interface ResolvedPackage {
  name: string;
  version: string;
  /** Digest of its tarball in the release (Subresource Integrity), `sha512-…`. */
  integrity: string;
  /** URL path of the tarball on the registry's host. */
  tarballPath: string;
  /** Size on disk as the registry declares it, in bytes; 0 if it does not. */
  unpackedSize: number;
  /** Why the vendor has yanked this version; undefined for others. */
  yankedFor: string | undefined;
  /** Version ranges of the vendor's packages that it depends on, by name. */
  dependencies: Record<string, string>;
  /** Its migrations as the release and the registry list them, which is not signed. */
  migrations: Migration[];
}

/** The platform to resolve for, in npm's terms (`linux`, `x64`). */
export interface Platform {
  os: string;
  cpu: string;
}

const maxConcurrent = 8;

/**
 * Resolves the packages of a licence.
 * @param options.ownDatabase whether the operator has a database, so that the embedded one is omitted
 * @throws Failure registry_refused when a package is refused, missing or incompatible with the others; integrity_failed
 * when the registry's package differs from that of the release
 */
export async function resolvePackages(
  registry: Registry,
  names: readonly string[],
  release: Release,
  options: { ownDatabase: boolean; platform?: Platform },
): Promise<ResolvedPackage[]> {
  const platform = options.platform ?? { os: process.platform, cpu: process.arch };
  const selected = names.filter((name) => {
    if (!name.startsWith(embeddedDatabasePrefix)) return true;
    // The name contains the platform: packages for others are not requested, since the registry may lack them.
    return !options.ownDatabase && name === `${embeddedDatabasePrefix}${platform.os}-${platform.cpu}`;
  });
  const readAll = (packages: readonly string[]) =>
    mapConcurrently(packages, maxConcurrent, (name) => readManifest(registry, name, release));
  const own = (await readAll(selected)).filter((manifest) => runsOn(manifest, platform));
  const libraries = await readAll(platformLibraries(own, names, platform));
  const resolved = [...own, ...libraries].map((manifest) => toResolved(manifest, release));
  if (!resolved.some(({ name }) => name === runtimePackage)) {
    throw new Failure(
      'registry_refused',
      `this licence does not include ${runtimePackage}, which every box needs`,
      'Contact the vendor',
    );
  }
  checkDependencies(resolved);
  return resolved;
}

/** Reads a package's manifest from the registry, in the version of the release. */
async function readManifest(registry: Registry, name: string, release: Release): Promise<Manifest> {
  const released = release.packages.find((entry) => entry.name === name);
  if (!released) {
    throw new Failure(
      'registry_refused',
      `release ${release.version} lacks ${name}, a package of this licence`,
      'Contact the vendor: the release is incomplete',
    );
  }
  const manifest = await registry.readManifest(name, released.version);
  if (manifest.integrity === released.integrity) return manifest;
  throw new Failure(
    'integrity_failed',
    `${name} ${released.version} of the registry differs from that of release ${release.version}`,
    'Nothing was installed. Contact the vendor',
  );
}

/**
 * Returns the names of native libraries for this platform, or for any: optional dependencies of the packages that the
 * licence does not name. Each library has one package per platform.
 */
function platformLibraries(manifests: readonly Manifest[], names: readonly string[], { os, cpu }: Platform): string[] {
  const listed = manifests.flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies));
  const selected = listed.filter(
    (name) =>
      name.startsWith(`${scope}/`) &&
      !names.includes(name) &&
      (name.endsWith(`-${os}-${cpu}`) || name.endsWith('-any')),
  );
  return [...new Set(selected)];
}

/** Applies npm's rule for `os` and `cpu`: no list allows all, `!x` excludes x, otherwise the value must be listed. */
export function runsOn(manifest: Pick<Manifest, 'os' | 'cpu'>, platform: Platform): boolean {
  return isAllowed(manifest.os, platform.os) && isAllowed(manifest.cpu, platform.cpu);
}

function isAllowed(list: string[] | string | undefined, value: string): boolean {
  const entries = list === undefined ? [] : [list].flat();
  if (entries.includes(`!${value}`)) return false;
  const named = entries.filter((entry) => !entry.startsWith('!'));
  return named.length === 0 || named.includes(value) || named.includes('any');
}

function toResolved(manifest: Manifest, release: Release): ResolvedPackage {
  const { name, version, integrity, tarballPath, unpackedSize, deprecated: yankedFor } = manifest;
  const listed = release.packages.find((entry) => entry.name === name)?.migrations ?? [];
  const files = new Set([...listed, ...Object.keys(manifest.migrations)]);
  const dependencies = Object.entries(manifest.dependencies).filter(([other]) => other.startsWith(`${scope}/`));
  return {
    name,
    version,
    integrity,
    tarballPath,
    unpackedSize,
    yankedFor,
    dependencies: Object.fromEntries(dependencies),
    migrations: toMigrations(name, [...files].sort(), manifest.migrations),
  };
}

function checkDependencies(packages: readonly ResolvedPackage[]): void {
  const versions = new Map(packages.map(({ name, version }) => [name, version]));
  for (const { name, version, dependencies } of packages) {
    for (const [other, range] of Object.entries(dependencies)) {
      const present = versions.get(other);
      if (present && satisfies(present, range)) continue;
      throw new Failure(
        'registry_refused',
        `${name} ${version} requires ${other} ${range}, but this licence includes ${present ?? 'none'}`,
        'Contact the vendor: the published packages are incompatible',
      );
    }
  }
}
