// Parses the raw path of a request with a closed grammar. Paths that do not match are rejected, so dot segments, double
// escapes, capitals and other scopes never reach Verdaccio with a customer's token.

import { scope, vendor } from './vendor.ts';

export type RequestTarget =
  | { kind: 'packument'; packageName: string; version?: string }
  | { kind: 'tarball'; packageName: string; version: string }
  /** The provenance of a version; `isChange` if it is sent, not read. */
  | { kind: 'provenance'; packageName: string; version: string; isChange: boolean }
  /** The provenance of a release, by the SHA-512 of its signed text in hexadecimal. */
  | { kind: 'release-provenance'; digest: string; isChange: boolean }
  /** A change of a package or a dist-tag (`isChange`), or a list of packages: for the publisher only. */
  | { kind: 'publisher'; isChange: boolean }
  | { kind: 'ping' }
  | { kind: 'metrics' }
  /** The public keys of packages, at the path where npm's clients read them. */
  | { kind: 'keys' }
  | { kind: 'whoami' }
  /** A question for known vulnerabilities: of npm (`bulk`), or of pnpm and Yarn 1 (`full`). */
  | { kind: 'audit'; form: 'bulk' | 'full' }
  | { kind: 'other' };

const name = '[a-z0-9][a-z0-9-]{0,99}';
/** An exact version, without build metadata. */
export const versionPattern = '\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?';
// npm escapes the slash of a scoped name in some requests only, and some clients escape the @ too.
const scopedName = `(?:@|%40)${scope.slice(1)}(?:/|%2[fF])(${name})`;

const packument = new RegExp(`^/${scopedName}$`);
const manifest = new RegExp(`^/${scopedName}/(?:(${versionPattern})|[a-z][a-z0-9.-]*)$`);
const tarball = new RegExp(`^/${scopedName}/-/(${name})-(${versionPattern})\\.tgz$`);
const provenance = new RegExp(`^/-/${vendor}/v1/provenance/${scopedName}@(${versionPattern})$`);
const releaseProvenance = new RegExp(`^/-/${vendor}/v1/provenance/releases/([0-9a-f]{128})$`);
const packageChange = new RegExp(`^/${scopedName}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$`);
const tagsOfPackage = `^/-/package/${scopedName}/dist-tags`;
const distTags = new RegExp(`${tagsOfPackage}$`);
const distTagChange = new RegExp(`${tagsOfPackage}(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)?$`);
const publisherLists = new Set(['/-/v1/search', '/-/all']);
const audits = new Map([
  ['/-/npm/v1/security/advisories/bulk', 'bulk'],
  ['/-/npm/v1/security/audits', 'full'],
  ['/-/npm/v1/security/audits/quick', 'full'],
] as const);

/**
 * Parses a method and a raw request target (`request.url`, which may have a query). Package names are full
 * (`@scope/name`), versions exact: for a dist-tag in the path, `version` is undefined. A tarball must have the file name
 * of its package (`name-version.tgz`).
 */
export function parseTarget(method: string, url: string): RequestTarget {
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);

  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead || method === 'PUT') {
    const [, packageName, ofVersion] = provenance.exec(path) ?? [];
    if (packageName !== undefined && ofVersion !== undefined) {
      return { kind: 'provenance', packageName: `${scope}/${packageName}`, version: ofVersion, isChange: !isRead };
    }
    const digest = releaseProvenance.exec(path)?.[1];
    if (digest !== undefined) return { kind: 'release-provenance', digest, isChange: !isRead };
  }
  if (isRead) {
    if (path === '/-/ping') return { kind: 'ping' };
    if (path === '/metrics') return { kind: 'metrics' };
    if (path === '/-/npm/v1/keys') return { kind: 'keys' };
    if (path === '/-/whoami') return { kind: 'whoami' };
    const packumentMatch = packument.exec(path);
    if (packumentMatch) return { kind: 'packument', packageName: `${scope}/${packumentMatch[1]}` };
    const manifestMatch = manifest.exec(path);
    if (manifestMatch) {
      return { kind: 'packument', packageName: `${scope}/${manifestMatch[1]}`, version: manifestMatch[2] };
    }
    const tarballMatch = tarball.exec(path);
    if (tarballMatch?.[3] !== undefined && tarballMatch[1] === tarballMatch[2]) {
      return { kind: 'tarball', packageName: `${scope}/${tarballMatch[1]}`, version: tarballMatch[3] };
    }
    // They are part of the packument, too.
    const taggedName = distTags.exec(path)?.[1];
    if (taggedName !== undefined) return { kind: 'packument', packageName: `${scope}/${taggedName}` };
    if (publisherLists.has(path)) return { kind: 'publisher', isChange: false };
    return { kind: 'other' };
  }
  const form = audits.get(path as Parameters<typeof audits.get>[0]);
  if (method === 'POST' && form !== undefined) return { kind: 'audit', form };
  if (packageChange.test(path) || distTagChange.test(path)) return { kind: 'publisher', isChange: true };
  return { kind: 'other' };
}

/**
 * Returns the part of a request target that may be logged: the path, since clients may send a credential in the query,
 * without the token that npm's logout sends in the path.
 */
export function redactPath(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  return path.replace(/(\/-\/user\/token\/).+$/s, '$1…');
}
