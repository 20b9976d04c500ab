// The published packages, read from the packuments that Verdaccio stores: tier and versions. The gate needs them, since
// it decides before Verdaccio handles the request.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { vendor } from './vendor.ts';

export type PublishedPackage = {
  /** The lowest tier that includes the package, from its latest manifest (`carton: { tier }`); none for the platform. */
  tier: string | undefined;
  /** Whether every licence is entitled to the package (`carton: { platform: true }`): the runtime and its database. */
  platform: boolean;
  /** Whether it is a library with native code (`carton: { native: true }`), served with the packages that need it. */
  native: boolean;
  /** Names of the optional dependencies of all versions: its libraries with native code. */
  optional: ReadonlySet<string>;
  latest: string | undefined;
  /** The digest of each version's tarball: `sha512-…`, or the SHA-1 of packages that have no other. */
  versions: ReadonlyMap<string, string | undefined>;
};

export type Catalogue = {
  /** Finds a package by its full name, which must have been validated (`@scope/name`). */
  find(packageName: string): Promise<PublishedPackage | undefined>;
};

/** Opens the packuments in Verdaccio's storage folder. Each is cached until its file changes. */
export function openCatalogue(packagesFolder: string): Catalogue {
  const cache = new Map<string, { changedAt: bigint; published: PublishedPackage | undefined }>();

  return {
    async find(packageName) {
      const file = join(packagesFolder, packageName, 'package.json');
      const changedAt = await stat(file, { bigint: true }).then(
        ({ mtimeNs }) => mtimeNs,
        () => undefined,
      );
      if (changedAt === undefined) return undefined;
      const cached = cache.get(packageName);
      if (cached?.changedAt === changedAt) return cached.published;
      const published = readPackument(await readFile(file, 'utf8'));
      cache.set(packageName, { changedAt, published });
      return published;
    },
  };
}

type Packument = {
  'dist-tags'?: { latest?: string };
  versions?: Record<string, Version>;
};

type Version = {
  optionalDependencies?: Record<string, string>;
  dist?: { integrity?: string; shasum?: string };
} & Record<string, { tier?: string; platform?: boolean; native?: boolean } | undefined>;

/** Returns undefined for a packument without versions, which an unpublished or half-published package leaves. */
function readPackument(content: string): PublishedPackage | undefined {
  const { 'dist-tags': tags, versions = {} } = JSON.parse(content) as Packument;
  const names = Object.keys(versions);
  if (names.length === 0) return undefined;
  const latest = tags?.latest;
  const latestManifest = latest === undefined ? undefined : versions[latest]?.[vendor];
  const optional = Object.values(versions).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  return {
    tier: latestManifest?.tier,
    platform: latestManifest?.platform === true,
    native: latestManifest?.native === true,
    optional: new Set(optional),
    latest,
    versions: new Map(names.map((name) => [name, digestOf(versions[name])])),
  };
}

function digestOf(version: Version | undefined): string | undefined {
  return version?.dist?.integrity ?? version?.dist?.shasum;
}
