/**
 * Releases of built packages, published at the control plane.
 */
import { createHash } from 'node:crypto';
import { findInconsistencies } from '../../control-plane/releases/consistency.ts';
import type { PublishRelease, ReleasedPackage } from '../../control-plane/releases/schemas.ts';
import { signedText } from '../../installer/pull/release-signature.ts';
import type { BuiltPackage } from './built-package.ts';
import type { PackageContents } from './contents.ts';
import type { Sign } from './signing.ts';

/** Converts built packages to those of a release. A package that is not in `contents` has no routes and migrations. */
export function releasedPackages(
  packages: readonly BuiltPackage[],
  contents: ReadonlyMap<string, PackageContents> = new Map(),
): ReleasedPackage[] {
  return packages.map(({ name, kind, tier, version, integrity, description, dependencies }) => {
    const { routes = [], migrations = [] } = contents.get(name) ?? {};
    return { name, kind, tier, version, integrity, description, dependencies, routes, migrations };
  });
}

/**
 * Creates the release of built packages.
 * @throws Error that names every unmet dependency
 */
export function makeRelease(
  version: string,
  channel: string,
  packages: readonly BuiltPackage[],
  contents: ReadonlyMap<string, PackageContents>,
): PublishRelease {
  const released = releasedPackages(packages, contents);
  const faults = [...findInconsistencies(released), ...missingPlatforms(released)];
  if (faults.length > 0) {
    const lines = faults.map(({ detail }) => `  ${detail}`).join('\n');
    throw new Error(`The packages of release ${version} are not compatible, so nothing is published:\n${lines}`);
  }
  return { version, channel, packages: released };
}

/**
 * Optional dependencies that the release does not contain: clients that install by a lock file (`npm ci`), and Yarn, fail
 * at a platform package that a package names and the registry lacks.
 */
function missingPlatforms(packages: readonly ReleasedPackage[]): { detail: string }[] {
  const present = new Set(packages.map(({ name }) => name));
  return packages.flatMap(({ name, dependencies }) =>
    dependencies.flatMap(({ name: needed, optional }) =>
      optional && !present.has(needed) ? [{ detail: `${name} names ${needed}, which is missing` }] : [],
    ),
  );
}

/** Adds a digest of the packages to a version as build metadata, for a registry whose versions may be replaced. */
export function versionOfContent(version: string, packages: readonly BuiltPackage[]): string {
  const digest = createHash('sha256').update(packages.map(({ integrity }) => integrity).join('\n'));
  return `${version}+${digest.digest('hex').slice(0, 12)}`;
}

/**
 * Publishes a release, signed if `sign` is passed.
 * @throws Error if the control plane cannot be reached, or rejects the release, with its reasons
 */
export async function publishRelease(
  controlPlaneUrl: string,
  publishSecret: string,
  release: PublishRelease,
  sign?: Sign | undefined,
): Promise<void> {
  const response = await fetch(`${controlPlaneUrl.replace(/\/+$/, '')}/releases`, {
    method: 'POST',
    headers: { authorization: `Bearer ${publishSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...release, ...(sign && { signatures: sign(signedText(release)) }) }),
  }).catch((error: Error) => {
    const reason = (error.cause as Error)?.message ?? error.message;
    throw new Error(`The control plane at ${controlPlaneUrl} cannot be reached: ${reason}`);
  });
  if (response.ok) return;
  const { title, detail } = (await response.json().catch(() => ({}))) as { title?: string; detail?: string };
  throw new Error(`The control plane rejects the release: ${detail ?? title ?? `status ${response.status}`}`);
}
