// Checks what the publisher publishes: a version must be signed with a key of the vendor, which the registry does not
// have, so that a stolen secret of the publisher alone cannot publish code. Signatures are those of npm's registry: over
// `name@version:integrity`, in `dist.signatures`.

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { basename } from 'node:path';
import { Refusal } from '../refusal.ts';
import type { PackageKeys, PackageSignature } from './package-keys.ts';

/** What npm's clients send to publish a version: its manifest, and its tarball in base64. */
type Publication = {
  name?: unknown;
  versions?: Record<string, Manifest>;
  _attachments?: Record<string, { data?: unknown }>;
};

type Manifest = {
  name?: unknown;
  version?: unknown;
  dist?: { integrity?: unknown; tarball?: unknown; signatures?: unknown };
};

/**
 * Checks a request of the publisher whose body Verdaccio has parsed. Requests without a tarball, such as those of
 * `npm deprecate`, `npm dist-tag` and `npm unpublish`, add no version and need no signature.
 * @param time milliseconds since the epoch
 * @throws Refusal 400 for a tarball that is not the one of the manifest, 403 for a version without a right signature
 */
export function requireSigned(request: IncomingMessage, keys: PackageKeys, time: number): void {
  const { headers, method, body } = request as IncomingMessage & { body?: Publication };
  // Verdaccio also takes a bare tarball, which no client of npm sends.
  if (method === 'PUT' && /^application\/octet-stream/i.test(headers['content-type'] ?? '')) {
    throw notSigned('A tarball without its manifest');
  }
  const attachments = Object.entries(body?._attachments ?? {});
  if (attachments.length === 0) return;
  const versions = Object.entries(body?.versions ?? {});
  const [[file, attachment], [version, manifest]] = [attachments[0] ?? [], versions[0] ?? []] as [
    [string, { data?: unknown }?],
    [string, Manifest?],
  ];
  const name = String(body?.name);
  const what = `${name}@${version}`;
  const { integrity, tarball, signatures } = manifest?.dist ?? {};
  const tarballName = `${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
  const isConsistent =
    attachments.length === 1 &&
    versions.length === 1 &&
    manifest?.name === name &&
    manifest.version === version &&
    basename(file) === tarballName &&
    basename(String(tarball)) === tarballName &&
    integrity === integrityOf(String(attachment?.data));
  if (!isConsistent) {
    throw new Refusal(400, 'publication_invalid', `The manifest of ${what} does not describe the tarball sent with it`);
  }

  if (!Array.isArray(signatures) || signatures.length === 0) throw notSigned(what);
  for (const signature of signatures as (Partial<PackageSignature> | null)[]) {
    const { keyid, sig } = signature ?? {};
    const fault = keys.findFault(`${what}:${integrity}`, { keyid: String(keyid), sig: String(sig) }, time);
    if (fault !== undefined)
      throw new Refusal(403, 'signature_invalid', `${what} is not signed by the vendor: ${fault}`);
  }
}

/** The digest of a tarball in base64, in npm's format. */
function integrityOf(data: string): string {
  return `sha512-${createHash('sha512').update(Buffer.from(data, 'base64')).digest('base64')}`;
}

const notSigned = (what: string) =>
  new Refusal(
    403,
    'signature_missing',
    `${what} is not signed: this registry accepts only packages signed by the vendor`,
  );
