/**
 * Secrets at rest. With SIGNING_KEY_SECRET they are encrypted (AES-256-GCM), so that a copy of the database is not enough
 * to read them. Each is bound to its row, so that a value does not work in another one, and each purpose has a key of its
 * own. Private signing keys are not among them: they are stored in the format of encrypted keys (PKCS #8).
 *
 * While SIGNING_KEY_SECRET is replaced it has two values: the first encrypts, and both decrypt.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type Secret, valuesOf } from './registry/secrets.ts';

const algorithm = 'aes-256-gcm';
const version = 'v1';

export interface Encryption {
  /** @returns `v1.<nonce>.<tag>.<ciphertext>` in base64url; the secret itself without SIGNING_KEY_SECRET */
  encrypt(secret: string, rowId: string): string;
  /** @throws Error if the value is encrypted and SIGNING_KEY_SECRET is missing or another one, or if it is of another row */
  decrypt(stored: string, rowId: string): string;
  /**
   * The value encrypted with the first value of SIGNING_KEY_SECRET; null if it is.
   * @throws Error as `decrypt`
   */
  encryptAgain(stored: string, rowId: string): string | null;
}

/**
 * @param keySecret the value of SIGNING_KEY_SECRET; without it, secrets are stored as they are
 * @param purpose names the key that is derived from it; it never changes, such as `hosting secrets`
 * @param what completes an error: `the hosting secret of a box`
 */
export function openEncryption(keySecret: Secret | undefined, purpose: string, what: string): Encryption {
  const keys = new Map<string, Buffer>();
  const keyOf = (value: string) => {
    const key = keys.get(value) ?? Buffer.from(hkdfSync('sha256', value, '', purpose, 32));
    keys.set(value, key);
    return key;
  };
  const currentKeys = () => valuesOf(keySecret).map(keyOf);

  function open(stored: string, rowId: string): { secret: string; isCurrent: boolean } {
    const all = currentKeys();
    if (!isEncrypted(stored)) return { secret: stored, isCurrent: all.length === 0 };
    const failures: unknown[] = [];
    for (const [at, key] of all.entries()) {
      try {
        return { secret: decryptWith(key, stored, rowId), isCurrent: at === 0 };
      } catch (error) {
        failures.push(error);
      }
    }
    const cause = failures[0] ?? new Error('it is not set');
    throw new Error(`SIGNING_KEY_SECRET does not decrypt ${what}: restore the former one`, { cause });
  }

  const encryption: Encryption = {
    encrypt(secret, rowId) {
      const [key] = currentKeys();
      if (!key) return secret;
      const nonce = randomBytes(12);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(rowId));
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [version, ...[nonce, cipher.getAuthTag(), encrypted].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt: (stored, rowId) => open(stored, rowId).secret,
    encryptAgain(stored, rowId) {
      const { secret, isCurrent } = open(stored, rowId);
      return isCurrent ? null : encryption.encrypt(secret, rowId);
    },
  };
  return encryption;
}

/** Whether a value was stored with SIGNING_KEY_SECRET. */
export function isEncrypted(stored: string): boolean {
  return stored.startsWith(`${version}.`);
}

/** @throws Error if it was encrypted with another key, or for another row */
function decryptWith(key: Buffer, stored: string, rowId: string): string {
  const [nonce, tag, encrypted] = stored
    .split('.')
    .slice(1)
    .map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag);
  return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
}
