/**
 * Verifying a release: the vendor signs the version and digest of every package, so that a box installs only what the
 * vendor has released, even if an attacker controls the control plane, the registry or the network between them.
 */
import { createPublicKey, verify } from 'node:crypto';
import type { Release } from '../control-plane.ts';
import { Failure } from '../failure.ts';

/** A public key of the vendor, in the format of npm's registry. */
export interface PackageKey {
  keyid: string;
  /** The public key (ECDSA, P-256; SubjectPublicKeyInfo in DER) in base64. */
  key: string;
  /** From when on the key verifies nothing, as ISO 8601; null for a key in use. */
  expires: string | null;
}

/** The members of a release that are signed. */
type Signed = Pick<Release, 'version' | 'channel'> & { packages: readonly Release['packages'][number][] };

/**
 * Returns the text that the vendor signs: the JSON of version, channel, and the name, version and integrity of every
 * package in alphabetical order, in the canonical form of RFC 8785.
 */
export function signedText({ version, channel, packages }: Signed): string {
  const sorted = [...packages].sort((a, b) => (a.name < b.name ? -1 : 1));
  const entries = sorted.map(({ integrity, name, version }) => ({ integrity, name, version }));
  return JSON.stringify({ channel, packages: entries, version });
}

/**
 * Requires a signature of the release, for a channel, by one of the vendor's keys.
 * @param time milliseconds since the epoch
 * @throws Failure integrity_failed
 */
export function verifyRelease(release: Release, channel: string, keys: readonly PackageKey[], time: number): void {
  const { version, packages, signatures = [] } = release;
  requireSignature(`release ${version}`, signedText({ version, channel, packages }), signatures, keys, time);
}

/**
 * Requires that one of the signatures of a text is by one of the vendor's keys.
 * @param what the signed object, for the message
 * @param time milliseconds since the epoch
 * @throws Failure integrity_failed
 */
export function requireSignature(
  what: string,
  text: string,
  signatures: readonly { keyid: string; sig: string }[],
  keys: readonly PackageKey[],
  time: number,
): void {
  const faults = signatures.map(({ keyid, sig }) => {
    const known = keys.find((key) => key.keyid === keyid);
    if (!known) return `this command does not know the key ${keyid}`;
    if (known.expires !== null && !(time < Date.parse(known.expires))) {
      return `the key ${keyid} has expired, by the clock of this machine`;
    }
    const key = createPublicKey({ key: Buffer.from(known.key, 'base64'), format: 'der', type: 'spki' });
    if (verify('sha256', Buffer.from(text), key, Buffer.from(sig, 'base64'))) return undefined;
    return `the signature of the key ${keyid} does not match`;
  });
  if (faults.includes(undefined)) return;
  throw new Failure(
    'integrity_failed',
    `${what} is not signed by the vendor: ${faults.join('; ') || 'it has no signature'}`,
    'Nothing was installed. Get the newest version of this command, or contact the vendor',
  );
}
