// The packument of a package as it is stored: that of npm's registry, with what Verdaccio and the registry keep for
// themselves in `_attachments`, which is never sent to clients.

import { randomBytes } from 'node:crypto';
import { vendor } from '../vendor.ts';

export type Version = {
  name?: string;
  version?: string;
  deprecated?: unknown;
  optionalDependencies?: Record<string, string>;
  dist?: { integrity?: string; shasum?: string; tarball?: string };
} & { [member: string]: unknown };

/** What is known of a tarball, by its name `name-version.tgz`. */
export type Attachment = {
  shasum?: string;
  version?: string;
  /** The name under which it is stored, if that is another one. */
  file?: string;
  /** Which request has published it. */
  publication?: string;
};

export type Packument = {
  name: string;
  versions: Record<string, Version>;
  'dist-tags': Record<string, string>;
  time: Record<string, string>;
  _attachments: Record<string, Attachment>;
  /** Differs after each change: `<number>-<16 hexadecimal digits>`. */
  _rev: string;
} & { [member: string]: unknown };

/** The facts of a package that the gate decides with. */
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
  versions: ReadonlyMap<string, PublishedVersion>;
};

export type PublishedVersion = {
  /** The digest of the tarball: `sha512-…`, or the SHA-1 of packages that have no other. */
  digest: string | undefined;
  /** The key of the tarball in the storage. */
  key: string;
};

/** The key of a package's packument. */
export const packumentKey = (packageName: string) => fileKey(packageName, 'package.json');

export const fileKey = (packageName: string, file: string) => `packages/${packageName}/${file}`;

/** The name of a tarball for clients. */
export function tarballName(packageName: string, version: string): string {
  return `${packageName.slice(packageName.indexOf('/') + 1)}-${version}.tgz`;
}

/** The key under which the tarball of a version is stored. */
export function tarballKey({ name, _attachments }: Packument, version: string): string {
  const file = tarballName(name, version);
  return fileKey(name, _attachments[file]?.file ?? file);
}

export function newPackument(name: string): Packument {
  return {
    name,
    versions: {},
    time: {},
    users: {},
    'dist-tags': {},
    _uplinks: {},
    _distfiles: {},
    _attachments: {},
    _rev: '',
    _id: name,
  };
}

/** Parses a stored packument; undefined for an empty file, which a crash of Verdaccio may have left. */
export function parsePackument(content: Buffer): Packument | undefined {
  if (content.length === 0) return undefined;
  const stored = JSON.parse(content.toString()) as Partial<Packument> & { name: string };
  return { ...newPackument(stored.name), ...stored };
}

export function serializePackument(packument: Packument): Buffer {
  return Buffer.from(JSON.stringify(packument, null, '\t'));
}

export function nextRevision(revision: string): string {
  return `${(Number.parseInt(revision, 10) || 0) + 1}-${randomBytes(8).toString('hex')}`;
}

/** Returns undefined for a packument without versions, which an unpublished package leaves. */
export function describePackument(packument: Packument): PublishedPackage | undefined {
  const { 'dist-tags': tags, versions } = packument;
  const names = Object.keys(versions);
  if (names.length === 0) return undefined;
  const { latest } = tags;
  const manifest = latest === undefined ? undefined : versions[latest]?.[vendor];
  const { tier, platform, native } = (manifest ?? {}) as { tier?: string; platform?: boolean; native?: boolean };
  return {
    tier,
    platform: platform === true,
    native: native === true,
    optional: new Set(
      Object.values(versions).flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies)),
    ),
    latest,
    versions: new Map(
      names.map((version) => {
        const { integrity, shasum } = versions[version]?.dist ?? {};
        return [version, { digest: integrity ?? shasum, key: tarballKey(packument, version) }];
      }),
    ),
  };
}
