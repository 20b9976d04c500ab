/**
 * From the licence's package names to what is pulled: of each package that this machine can run the version that the
 * release says, checked to fit together before a single byte is downloaded.
 */
import pacote from 'pacote';
import { satisfies } from 'semver';
import type { Release } from '../control-plane.ts';
import { Failure } from '../failure.ts';
import { embeddedDatabasePrefix, runtimePackage, scope } from '../vendor.ts';
import { mapConcurrently } from './map-concurrently.ts';
import type { Registry } from './registry.ts';

/** A package of the release to be. */
export interface ResolvedPackage {
  name: string;
  version: string;
  integrity: string;
  /** Size on disk as the registry declares it, in bytes; 0 when it does not. */
  unpackedSize: number;
  /** Ranges of the vendor's own packages that it needs. */
  dependencies: Record<string, string>;
}

/** The machine to resolve for, in npm's words (`linux`, `x64`). */
export interface Platform {
  os: string;
  cpu: string;
}

interface Manifest {
  name: string;
  version: string;
  _integrity?: string;
  dist?: { unpackedSize?: number };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[] | string;
  cpu?: string[] | string;
}

const maxConcurrent = 8;

/**
 * Resolves the packages of a licence.
 * @param options.ownDatabase the operator brings a database, so the embedded one is left out
 * @throws Failure registry_refused when one is refused, missing, or needs a version that the others do not have;
 * integrity_failed when the registry has another package under a version than the release says
 */
export async function resolvePackages(
  registry: Registry,
  names: readonly string[],
  release: Release,
  options: { ownDatabase: boolean; platform?: Platform },
): Promise<ResolvedPackage[]> {
  const platform = options.platform ?? { os: process.platform, cpu: process.arch };
  const wanted = names.filter((name) => {
    if (!name.startsWith(embeddedDatabasePrefix)) return true;
    // The name says the platform, so one for another machine is not even asked for: a registry may lack it.
    return !options.ownDatabase && name === `${embeddedDatabasePrefix}${platform.os}-${platform.cpu}`;
  });
  const readAll = (packages: readonly string[]) =>
    mapConcurrently(packages, maxConcurrent, (name) => readManifest(registry, name, release));
  const own = (await readAll(wanted)).filter((manifest) => runsOn(manifest, platform));
  const libraries = await readAll(platformLibraries(own, names, platform));
  const fitting = [...own, ...libraries].map(toResolved);
  if (!fitting.some(({ name }) => name === runtimePackage)) {
    throw new Failure(
      'registry_refused',
      `this licence holds no ${runtimePackage}, which a box needs`,
      'Tell the vendor',
    );
  }
  checkDependencies(fitting);
  return fitting;
}

/** Reads the package.json that the registry has under the version of the release. */
async function readManifest(registry: Registry, name: string, release: Release): Promise<Manifest> {
  const released = release.packages.find((entry) => entry.name === name);
  if (!released) {
    throw new Failure(
      'registry_refused',
      `release ${release.version} has no ${name}, which this licence needs`,
      'Tell the vendor: the release is incomplete',
    );
  }
  const manifest = await registry.use(
    `${name} ${released.version}`,
    (settings) => pacote.manifest(`${name}@${released.version}`, settings) as Promise<Manifest>,
  );
  if (manifest._integrity === released.integrity) return manifest;
  throw new Failure(
    'integrity_failed',
    `the registry has other contents under ${name} ${released.version} than release ${release.version}`,
    'Nothing was installed from it: tell the vendor',
  );
}

/**
 * What the packages list as optional besides the licence's own names: libraries with native parts, one package a
 * platform. Returns the names of those for this platform, or for any.
 */
function platformLibraries(manifests: readonly Manifest[], names: readonly string[], { os, cpu }: Platform): string[] {
  const listed = manifests.flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies));
  const wanted = listed.filter(
    (name) =>
      name.startsWith(`${scope}/`) &&
      !names.includes(name) &&
      (name.endsWith(`-${os}-${cpu}`) || name.endsWith('-any')),
  );
  return [...new Set(wanted)];
}

/** npm's rule for `os` and `cpu`: absent fits all; `!x` excludes x; otherwise one must be named. */
export function runsOn(manifest: Pick<Manifest, 'os' | 'cpu'>, platform: Platform): boolean {
  return allows(manifest.os, platform.os) && allows(manifest.cpu, platform.cpu);
}

function allows(list: string[] | string | undefined, value: string): boolean {
  const entries = list === undefined ? [] : [list].flat();
  if (entries.includes(`!${value}`)) return false;
  const named = entries.filter((entry) => !entry.startsWith('!'));
  return named.length === 0 || named.includes(value) || named.includes('any');
}

function toResolved(manifest: Manifest): ResolvedPackage {
  const { name, version, _integrity: integrity } = manifest;
  if (!integrity?.includes('sha512-')) {
    throw new Failure(
      'integrity_failed',
      `the registry declares no sha512 integrity for ${name} ${version}`,
      'Tell the vendor',
    );
  }
  const dependencies = Object.entries(manifest.dependencies ?? {}).filter(([other]) => other.startsWith(`${scope}/`));
  const unpackedSize = manifest.dist?.unpackedSize ?? 0;
  return { name, version, integrity, unpackedSize, dependencies: Object.fromEntries(dependencies) };
}

function checkDependencies(packages: readonly ResolvedPackage[]): void {
  const versions = new Map(packages.map(({ name, version }) => [name, version]));
  for (const { name, version, dependencies } of packages) {
    for (const [other, range] of Object.entries(dependencies)) {
      const present = versions.get(other);
      if (present && satisfies(present, range)) continue;
      throw new Failure(
        'registry_refused',
        `${name} ${version} needs ${other} ${range}, and this licence gives ${present ?? 'none'}`,
        'Tell the vendor: the published packages do not fit together',
      );
    }
  }
}
