// The vendor's public keys, with which packages are verified: read from a file, and served at `/-/npm/v1/keys` in the
// format of npm's registry (https://docs.npmjs.com/about-registry-signatures). The private keys are never here.

import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Refusal } from '../refusal.ts';

/** Both members `keytype` and `scheme` of every key: ECDSA with the curve P-256 and SHA-256. */
const scheme = 'ecdsa-sha2-nistp256';

export type PackageKey = {
  /** `SHA256:` and the digest of `key` in base64 without padding. */
  keyid: string;
  keytype: typeof scheme;
  scheme: typeof scheme;
  /** The public key (SubjectPublicKeyInfo in DER) in base64. */
  key: string;
  /** From when on the key signs nothing any more, as ISO 8601; null for a key in use. */
  expires: string | null;
};

export type PackageSignature = { keyid: string; sig: string };

export type PackageKeys = {
  /** The response to requests for the keys. */
  published: { keys: PackageKey[] };
  /** Returns why a signature (ECDSA in DER, base64) made at a time, in milliseconds, does not verify; else undefined. */
  findFault(text: string, signature: PackageSignature, time: number): string | undefined;
};

/**
 * Reads the keys.
 * @throws Error that names the file, if it cannot be read, has no keys, or one of them is malformed
 */
export async function openPackageKeys(file: string): Promise<PackageKeys> {
  try {
    return packageKeysOf(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new Error(`the keys of packages cannot be read from ${file}: ${(error as Error).message}`);
  }
}

function packageKeysOf(content: { keys?: PackageKey[] }): PackageKeys {
  const { keys } = content;
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('it has no keys');
  const known = new Map<string, { publicKey: KeyObject; expiresAt: number }>();
  for (const key of keys) known.set(key.keyid, { publicKey: publicKeyOf(key), expiresAt: expiryOf(key) });
  const published = keys.map(({ keyid, key, expires }) => ({ keyid, keytype: scheme, scheme, key, expires }) as const);

  return {
    published: { keys: published },
    findFault(text, { keyid, sig }, time) {
      const key = known.get(keyid);
      if (key === undefined) return `the key ${keyid} is unknown`;
      if (time >= key.expiresAt) return `the key ${keyid} has expired`;
      const isRight = verify('sha256', Buffer.from(text), key.publicKey, Buffer.from(sig, 'base64'));
      return isRight ? undefined : `the signature of the key ${keyid} does not match`;
    },
  };
}

function publicKeyOf({ keyid, keytype, scheme: signs, key }: PackageKey): KeyObject {
  const der = Buffer.from(key, 'base64');
  const digest = createHash('sha256').update(der).digest('base64').replace(/=+$/, '');
  if (keyid !== `SHA256:${digest}`) throw new Error(`${keyid} is not the id of its key`);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const isCurve = publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  if (!isCurve || keytype !== scheme || signs !== scheme) throw new Error(`${keyid} is not a key for ${scheme}`);
  return publicKey;
}

function expiryOf({ keyid, expires }: PackageKey): number {
  const time = expires === null ? Number.POSITIVE_INFINITY : Date.parse(expires);
  if (Number.isNaN(time)) throw new Error(`${keyid} expires at no valid time: ${expires}`);
  return time;
}

/**
 * Sends the keys, which are public.
 * @throws Refusal 404 without keys, as npm's clients expect from a registry whose packages are not signed
 */
export function sendPackageKeys(response: ServerResponse, keys: PackageKeys | undefined): void {
  if (keys === undefined) throw new Refusal(404, 'not_found', 'This registry has no keys of packages');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'public, max-age=300');
  response.end(JSON.stringify(keys.published));
}
