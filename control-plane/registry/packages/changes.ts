// The changes of a packument, as functions of what is stored. They are applied again when another registry has changed
// the packument first, so they depend on nothing else.

import { packageNotFound, Refusal, versionNotFound } from '../refusal.ts';
import { type Attachment, newPackument, type Packument, tarballKey, tarballName, type Version } from './packument.ts';

/** A version that is published: its tarball is stored already. */
export type NewVersion = {
  packageName: string;
  version: string;
  manifest: Version;
  tags: Record<string, string>;
  attachment: Attachment & { publication: string };
};

/** @throws Refusal 409 for a version that another request has published */
export function addVersion(stored: Packument | undefined, added: NewVersion, now: Date): Packument | undefined {
  const { packageName, version, tags } = added;
  const packument = stored ?? newPackument(packageName);
  const file = tarballName(packageName, version);
  const { time, versions, _attachments } = packument;
  if (Object.hasOwn(versions, version)) {
    // The answer to an earlier attempt was lost.
    if (_attachments[file]?.publication === added.attachment.publication) return undefined;
    throw versionExists(packageName, version);
  }
  const { readme, ...manifest } = added.manifest;
  packument.readme = typeof readme === 'string' ? readme : '';
  versions[version] = manifest;
  _attachments[file] = { ...added.attachment, version };
  time.created ??= now.toISOString();
  time[version] = now.toISOString();
  return setTags(packument, tags, now);
}

/**
 * What `npm deprecate` and `npm unpublish <version>` send: the packument as it shall be. Versions that it leaves out are
 * removed. Returns the keys of their tarballs, too.
 * @throws Refusal 409 if the packument is not the one that the client has read
 */
export function replaceVersions(
  stored: Packument | undefined,
  sent: { name: string; versions: Record<string, Version>; tags: Record<string, string> },
  revision: string | undefined,
  now: Date,
): { packument: Packument; unused: string[] } {
  const packument = requireRevision(stored, sent.name, revision);
  const unused: string[] = [];
  for (const version of Object.keys(packument.versions)) {
    const kept = packument.versions[version] as Version;
    if (!Object.hasOwn(sent.versions, version)) {
      unused.push(removeVersion(packument, version));
      continue;
    }
    const { deprecated } = sent.versions[version] ?? {};
    if (deprecated) kept.deprecated = deprecated;
    else if (deprecated !== undefined) delete kept.deprecated;
  }
  packument['dist-tags'] = {};
  const tags = Object.entries(sent.tags).filter(([, version]) => Object.hasOwn(packument.versions, version));
  return { packument: setTags(packument, Object.fromEntries(tags), now), unused };
}

/**
 * Removes all versions. The packument stays, without any: so a version that is published at the same time is not lost.
 * @throws Refusal 404, and 409 if the packument is not the one that the client has read
 */
export function removeVersions(
  stored: Packument | undefined,
  packageName: string,
  revision: string | undefined,
  now: Date,
): { packument: Packument; unused: string[] } {
  const packument = requireRevision(stored, packageName, revision);
  const unused = Object.keys(packument.versions).map((version) => removeVersion(packument, version));
  packument['dist-tags'] = {};
  packument.readme = '';
  packument.time.modified = now.toISOString();
  return { packument, unused };
}

/**
 * Sets dist-tags; those that are null are removed.
 * @throws Refusal 404
 */
export function changeTags(
  stored: Packument | undefined,
  packageName: string,
  tags: Record<string, string | null>,
  now: Date,
): Packument {
  return setTags(requireVersions(stored, packageName), tags, now);
}

function setTags(packument: Packument, tags: Record<string, string | null>, now: Date): Packument {
  for (const [tag, version] of Object.entries(tags)) {
    if (version === null) delete packument['dist-tags'][tag];
    else if (Object.hasOwn(packument.versions, version)) packument['dist-tags'][tag] = version;
    else throw versionNotFound(packument.name, version);
  }
  packument.time.modified = now.toISOString();
  return packument;
}

/** Returns the key of its tarball. */
function removeVersion(packument: Packument, version: string): string {
  const key = tarballKey(packument, version);
  delete packument.versions[version];
  delete packument.time[version];
  delete packument._attachments[tarballName(packument.name, version)];
  return key;
}

function requireVersions(stored: Packument | undefined, packageName: string): Packument {
  if (stored === undefined || Object.keys(stored.versions).length === 0) throw packageNotFound(packageName);
  return stored;
}

function requireRevision(stored: Packument | undefined, packageName: string, revision: string | undefined): Packument {
  const packument = requireVersions(stored, packageName);
  if (packument._rev === revision) return packument;
  throw new Refusal(409, 'package_changed', `${packageName} has been changed since it was read: do it again`);
}

export const versionExists = (packageName: string, version: string) =>
  new Refusal(409, 'version_exists', `${packageName} ${version} is published already, and never changes`);
