/**
 * Signs packages and releases with the vendor's private keys (ECDSA with the curve P-256 and SHA-256), as npm's registry
 * signs packages: https://docs.npmjs.com/about-registry-signatures.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const scheme = 'ecdsa-sha2-nistp256';

/** A public key in the format of npm's registry. */
export interface PublicKey {
  /** `SHA256:` and the digest of `key` in base64 without padding. */
  keyid: string;
  keytype: typeof scheme;
  scheme: typeof scheme;
  /** The public key (SubjectPublicKeyInfo in DER) in base64. */
  key: string;
  /** From when on the key signs nothing any more, as ISO 8601; null for a key in use. */
  expires: string | null;
}

/** A signature (ECDSA in DER) in base64. */
export interface Signature {
  keyid: string;
  sig: string;
}

/** Signs a text with every key of the vendor that is in use. */
export type Sign = (text: string) => Signature[];

/** Creates a key pair; the private key is PKCS #8 in PEM. */
export function createKeys(): { privateKey: string; publicKey: PublicKey } {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  return { privateKey, publicKey: describeKey(pair.publicKey) };
}

function describeKey(publicKey: KeyObject): PublicKey {
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const keyid = `SHA256:${createHash('sha256').update(der).digest('base64').replace(/=+$/, '')}`;
  return { keyid, keytype: scheme, scheme, key: der.toString('base64'), expires: null };
}

/**
 * Reads private keys, separated by commas: while keys are rotated, the old and the new one both sign.
 * @throws Error that names a file which is unreadable, or not a private key of this kind
 */
export async function openSigningKeys(files: string): Promise<Sign> {
  const keys = await Promise.all(
    files.split(',').map(async (file) => {
      try {
        const privateKey = createPrivateKey(await readFile(file.trim()));
        if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
          throw new Error('it is not a key for ECDSA P-256');
        return { privateKey, keyid: describeKey(createPublicKey(privateKey)).keyid };
      } catch (error) {
        throw new Error(`The signing key ${file.trim()} cannot be used: ${(error as Error).message}`);
      }
    }),
  );
  return (text) =>
    keys.map(({ privateKey, keyid }) => ({
      keyid,
      sig: sign('sha256', Buffer.from(text), privateKey).toString('base64'),
    }));
}
