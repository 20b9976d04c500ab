// Answers the publisher's changes. Verdaccio would write a packument three times for one version, and refuse a version
// whose tarball a crash has left behind; here the tarball is stored first, and one write of the packument publishes it.
//
// A tarball is never replaced, and never trusted if this request has not stored it: one that is there already has been
// left by a crash, or belongs to a request that has not finished. The tarball then gets another name (`file` of the
// attachment), so nobody removes or changes it but who removes the version.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gate, Grant } from '../gate.ts';
import { Refusal, unsupportedPath } from '../refusal.ts';
import { parseJson, readBody } from '../request-body.ts';
import type { Storage } from '../storage/storage.ts';
import { type ChangeTarget, parseChange } from './change-target.ts';
import { addVersion, changeTags, removeVersions, replaceVersions, versionExists } from './changes.ts';
import { fileKey, type Packument, tarballName, type Version } from './packument.ts';
import type { Packuments } from './packuments.ts';
import { objectOf, readPublication, readTag, readTags, readTagVersion, type SentPackument } from './publication.ts';

export type PublisherOptions = {
  gate: Pick<Gate, 'authorize'>;
  packuments: Packuments;
  storage: Storage;
  now?: () => Date;
};

/** A package is published as base64 inside JSON; the embedded database is by far the largest one. */
const largestBody = 256 * 1024 ** 2;

/**
 * Returns the function that answers a change.
 * @throws Refusal
 */
export function createPublisher({ gate, packuments, storage, now = () => new Date() }: PublisherOptions) {
  async function publish(packageName: string, body: SentPackument): Promise<void> {
    const { version, manifest, tags, tarball, shasum } = readPublication(packageName, body);
    if ((await packuments.read(packageName, 0))?.versions[version] !== undefined) {
      throw versionExists(packageName, version);
    }
    const publication = randomUUID();
    const file = tarballName(packageName, version);
    let storedAs = file;
    if ((await storage.write(fileKey(packageName, file), tarball, 'new')) === undefined) {
      storedAs = `${file.slice(0, -'.tgz'.length)}.${publication}.tgz`;
      await storage.write(fileKey(packageName, storedAs), tarball, 'always');
    }
    const attachment = { shasum, publication, ...(storedAs !== file && { file: storedAs }) };
    const added = { packageName, version, manifest, tags, attachment };
    await packuments
      .change(packageName, (stored) => addVersion(stored, added, now()))
      .catch(async (error: unknown) => {
        // After any other error, it is not known whether the version has been stored.
        if (error instanceof Refusal && error.status < 500) await storage.remove(fileKey(packageName, storedAs));
        throw error;
      });
  }

  /** Changes a packument, and then removes the tarballs that it no longer needs. */
  async function remove(
    packageName: string,
    apply: (stored: Packument | undefined) => { packument: Packument; unused: string[] },
  ): Promise<void> {
    let unused: string[] = [];
    await packuments.change(packageName, (stored) => {
      const changed = apply(stored);
      unused = changed.unused;
      return changed.packument;
    });
    for (const key of unused) await storage.remove(key);
  }

  async function changePackument(
    { packageName, revision }: { packageName: string; revision: string | undefined },
    body: SentPackument,
  ): Promise<string> {
    if (Object.keys(objectOf(body._attachments)).length > 0) {
      await publish(packageName, body);
      return 'published';
    }
    if (body.name !== packageName || typeof body.versions !== 'object') {
      throw new Refusal(400, 'change_unsupported', 'Only versions, dist-tags and deprecations can be changed here');
    }
    const versions = objectOf(body.versions) as Record<string, Version>;
    const sent = { name: packageName, versions, tags: readTags(body['dist-tags']) };
    const read = revision ?? (typeof body._rev === 'string' ? body._rev : undefined);
    await remove(packageName, (stored) => replaceVersions(stored, sent, read, now()));
    return 'changed';
  }

  /** A tarball is removed with its version: when npm's client asks for it, it has been. */
  async function removeTarball(packageName: string, file: string): Promise<string> {
    const packument = await packuments.read(packageName, 0);
    const versions = Object.keys(packument?.versions ?? {});
    const isUsed = versions.some((version) => tarballName(packageName, version) === file);
    if (isUsed) throw new Refusal(409, 'tarball_used', `${file} belongs to a version: unpublish the version`);
    return 'removed';
  }

  async function apply(target: ChangeTarget, body: unknown): Promise<string> {
    const { packageName } = target;
    switch (target.change) {
      case 'packument':
        return changePackument(target, objectOf(body));
      case 'removal':
        await remove(packageName, (stored) => removeVersions(stored, packageName, target.revision, now()));
        return 'removed';
      case 'tarball-removal':
        return removeTarball(packageName, target.file);
      case 'tag':
      case 'tags': {
        const tags =
          target.change === 'tags'
            ? readTags(body)
            : { [readTag(target.tag)]: target.isRemoval ? null : readTagVersion(body) };
        await packuments.change(packageName, (stored) => changeTags(stored, packageName, tags, now()));
        return 'tagged';
      }
    }
  }

  return async (request: IncomingMessage, response: ServerResponse, onGranted: (grant: Grant) => void) => {
    const { method = '', url = '', headers } = request;
    const target = parseChange(method, url);
    // Before anything is read of the body. `createHandler` has accepted no body but the publisher's.
    const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '') && !headers['content-encoding'];
    const hasBody = method !== 'DELETE' && target !== undefined && isJson;
    const body = hasBody ? parseJson(await readBody(request, largestBody, tooLarge)) : undefined;
    (request as { body?: unknown }).body = body ?? {};
    onGranted(await gate.authorize(request));
    if (target === undefined) throw unsupportedPath();
    if (method !== 'DELETE' && !isJson) {
      throw new Refusal(415, 'media_type_unsupported', 'Packages are published as application/json');
    }
    if (hasBody && body === undefined) throw new Refusal(400, 'body_malformed', 'The body is not JSON');
    const ok = await apply(target, body);
    response.statusCode = 201;
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(`${JSON.stringify({ ok, success: true })}\n`);
  };
}

const tooLarge = () =>
  new Refusal(413, 'package_too_large', `A request to publish a package has at most ${largestBody} bytes`);
