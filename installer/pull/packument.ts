/**
 * What the registry says about a package: npm's packument, of which only the version of the release is read. None of it is
 * signed, so each member is checked before it is used.
 */
import { Failure } from '../failure.ts';
import { kindsIn, type MigrationKinds } from '../release/migrations.ts';
import { lasting } from './faults.ts';

/** What the registry says about one version. */
export interface Manifest {
  name: string;
  version: string;
  /** Subresource Integrity of the tarball. */
  integrity: string;
  /** URL path of the tarball; a host that the registry names does not count. */
  tarballPath: string;
  /** Size of the files, in bytes; 0 if the registry does not say. */
  unpackedSize: number;
  /** The reason of `npm deprecate`. */
  deprecated?: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  os?: string[] | string;
  cpu?: string[] | string;
  /** What the package says of its migrations; not signed, so it serves for a plan only. */
  migrations: MigrationKinds;
}

/** The version's entry as it is in JSON. */
interface Entry {
  name?: unknown;
  version?: unknown;
  dist?: { integrity?: unknown; tarball?: unknown; unpackedSize?: unknown };
  deprecated?: unknown;
  dependencies?: unknown;
  optionalDependencies?: unknown;
  os?: unknown;
  cpu?: unknown;
}

/** No package of a box is larger: 2 GB. */
export const maxUnpackedBytes = 2_000_000_000;

/**
 * Reads a packument.
 * @throws RegistryFault when it is none, lacks the version, or says something invalid about it
 */
export function parsePackument(
  text: string,
  { name, version, headers, registryUrl }: { name: string; version: string; headers: Headers; registryUrl: string },
): Manifest {
  const what = `${name} ${version}`;
  const refuse = (message: string, advice: string) =>
    lasting(new Failure('registry_refused', message, advice, { package: what, registry: registryUrl }));
  let versions: Record<string, Entry> | undefined;
  try {
    ({ versions } = JSON.parse(text) as { versions?: Record<string, Entry> });
  } catch {
    const type = /^[\w/+.-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0] ?? 'something';
    throw refuse(
      `the registry answered with ${type} that is not JSON when it was asked for ${what}`,
      'Check for a proxy or a login page between this machine and the registry, then run the command again',
    );
  }
  const entry = versions !== null && typeof versions === 'object' ? versions[version] : undefined;
  if (!entry) throw refuse(`the registry has no ${what}`, 'Contact the vendor: a package of this licence is missing');
  const { dist, dependencies = {}, optionalDependencies = {}, os, cpu, deprecated } = entry;
  const tarball = typeof dist?.tarball === 'string' ? URL.parse(dist.tarball, registryUrl) : null;
  const unpackedSize = dist?.unpackedSize ?? 0;
  const problems = [
    entry.name === name || 'name',
    entry.version === version || 'version',
    typeof dist?.integrity === 'string' || 'dist.integrity',
    (tarball !== null && /^https?:$/.test(tarball.protocol)) || 'dist.tarball',
    isSize(unpackedSize) || 'dist.unpackedSize',
    areTexts(dependencies) || 'dependencies',
    areTexts(optionalDependencies) || 'optionalDependencies',
    isList(os) || 'os',
    isList(cpu) || 'cpu',
  ].filter((problem) => problem !== true);
  if (problems.length > 0) {
    throw refuse(`the registry says something invalid about ${what} (${problems.join(', ')})`, 'Contact the vendor');
  }
  return {
    name,
    version,
    integrity: dist?.integrity as string,
    tarballPath: (tarball as URL).pathname,
    unpackedSize: unpackedSize as number,
    ...(deprecated ? { deprecated: String(deprecated) } : {}),
    dependencies: dependencies as Record<string, string>,
    optionalDependencies: optionalDependencies as Record<string, string>,
    os: os as string[] | undefined,
    cpu: cpu as string[] | undefined,
    migrations: kindsIn(entry),
  };
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxUnpackedBytes;
}

function areTexts(value: unknown): boolean {
  return value !== null && typeof value === 'object' && Object.values(value).every((each) => typeof each === 'string');
}

function isList(value: unknown): boolean {
  return value === undefined || [value].flat().every((each) => typeof each === 'string');
}
