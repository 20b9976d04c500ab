// What is published here, read from the packuments that Verdaccio keeps: which tier holds a package, which version is
// the latest. Needed to word a refusal, which happens before Verdaccio is asked.

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { vendor } from './vendor.ts';

export type PublishedPackage = {
  /** Tier that holds the package, as its latest manifest states it (`carton: { tier }`); none for the platform. */
  tier: string | undefined;
  /** Whether every licence holds the package (`carton: { platform: true }`): the runtime and its database. */
  platform: boolean;
  /** Whether it is a library with native parts (`carton: { native: true }`), which goes with those who need it. */
  native: boolean;
  /** Names of the packages that any of its versions lists as optional: its libraries with native parts. */
  optional: ReadonlySet<string>;
  latest: string | undefined;
  versions: ReadonlySet<string>;
};

export type Catalogue = {
  /** What is published under a name (`@scope/name`, already checked), or nothing. */
  find(packageName: string): Promise<PublishedPackage | undefined>;
};

/** Reads the packuments in Verdaccio's storage folder; an answer is kept until the file changes. */
export function openCatalogue(packagesFolder: string): Catalogue {
  const known = new Map<string, { changedAt: bigint; published: PublishedPackage | undefined }>();

  return {
    async find(packageName) {
      const file = join(packagesFolder, packageName, 'package.json');
      const changedAt = await stat(file, { bigint: true }).then(
        ({ mtimeNs }) => mtimeNs,
        () => undefined,
      );
      if (changedAt === undefined) return undefined;
      const kept = known.get(packageName);
      if (kept?.changedAt === changedAt) return kept.published;
      const published = readPackument(await readFile(file, 'utf8'));
      known.set(packageName, { changedAt, published });
      return published;
    },
  };
}

type Packument = {
  'dist-tags'?: { latest?: string };
  versions?: Record<string, Version>;
};

type Version = { optionalDependencies?: Record<string, string> } & Record<
  string,
  { tier?: string; platform?: boolean; native?: boolean } | undefined
>;

/** A packument without versions is what an unpublished or half-published package leaves: it counts as none. */
function readPackument(content: string): PublishedPackage | undefined {
  const { 'dist-tags': tags, versions = {} } = JSON.parse(content) as Packument;
  const names = Object.keys(versions);
  if (names.length === 0) return undefined;
  const latest = tags?.latest;
  const stated = latest === undefined ? undefined : versions[latest]?.[vendor];
  const optional = Object.values(versions).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  return {
    tier: stated?.tier,
    platform: stated?.platform === true,
    native: stated?.native === true,
    optional: new Set(optional),
    latest,
    versions: new Set(names),
  };
}
