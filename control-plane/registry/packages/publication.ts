// What `npm publish` sends: the manifest of one version, its dist-tags, and its tarball in base64.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Refusal } from '../refusal.ts';
import { versionPattern } from '../request-target.ts';
import { tarballName, type Version } from './packument.ts';

export type Publication = {
  version: string;
  manifest: Version;
  tags: Record<string, string>;
  tarball: Buffer;
  /** The SHA-1 of the tarball in hexadecimal. */
  shasum: string;
};

/** The body of a request that changes a packument. All members are what the client has sent. */
export type SentPackument = {
  name?: unknown;
  versions?: unknown;
  'dist-tags'?: unknown;
  _attachments?: unknown;
  _rev?: unknown;
};

const isVersion = new RegExp(`^${versionPattern}$`);
const isTag = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/**
 * Checks a body that has a tarball.
 * @throws Refusal 400 if it does not describe the tarball
 */
export function readPublication(packageName: string, body: SentPackument): Publication {
  const versions = Object.entries(objectOf(body.versions));
  const attachments = Object.entries(objectOf(body._attachments));
  const [version, sent] = versions[0] ?? [];
  const [file, attachment] = attachments[0] ?? [];
  const manifest = objectOf(sent) as Version;
  const data = objectOf(attachment).data;
  const isConsistent =
    versions.length === 1 &&
    attachments.length === 1 &&
    version !== undefined &&
    isVersion.test(version) &&
    body.name === packageName &&
    manifest.name === packageName &&
    manifest.version === version &&
    basename(String(file)) === tarballName(packageName, version) &&
    typeof data === 'string';
  const invalid = (reason: string) =>
    new Refusal(400, 'publication_invalid', `${packageName}@${version} cannot be published: ${reason}`);
  if (!isConsistent) throw invalid('the request must have one version, and the tarball of that version');

  const tarball = Buffer.from(data, 'base64');
  if (tarball.length === 0) throw invalid('its tarball is empty');
  const shasum = createHash('sha1').update(tarball).digest('hex');
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = objectOf(manifest.dist) as NonNullable<Version['dist']>;
  if ((dist.shasum ?? shasum) !== shasum || (dist.integrity ?? integrity) !== integrity) {
    throw invalid('the digests in its manifest are not those of the tarball');
  }
  return {
    version,
    manifest: { ...manifest, dist: { ...dist, shasum, integrity } },
    tags: readTags(body['dist-tags']),
    tarball,
    shasum,
  };
}

/**
 * Checks dist-tags that a client sends.
 * @throws Refusal 400
 */
export function readTags(sent: unknown): Record<string, string> {
  const tags: Record<string, string> = {};
  for (const [tag, version] of Object.entries(objectOf(sent))) tags[readTag(tag)] = readTagVersion(version);
  return tags;
}

/** @throws Refusal 400 */
export function readTag(tag: string): string {
  // `__proto__` is no name of an ordinary member.
  if (isTag.test(tag) && tag !== '__proto__') return tag;
  throw new Refusal(400, 'tag_invalid', `${JSON.stringify(tag)} is no name of a dist-tag`);
}

/** @throws Refusal 400 */
export function readTagVersion(version: unknown): string {
  if (typeof version === 'string' && isVersion.test(version)) return version;
  throw new Refusal(400, 'tag_invalid', 'A dist-tag needs an exact version, such as 1.2.0');
}

/** The value if it is an object, else one without members. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
