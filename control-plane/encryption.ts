/**
 * Secrets at rest. With SIGNING_KEY_SECRET they are encrypted (AES-256-GCM), so that a copy of the database is not enough
 * to read them. Each is bound to its row, so that a value does not work in another one, and each purpose has a key of its
 * own. Private signing keys are not among them: they are stored in the format of encrypted keys (PKCS #8).
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const version = 'v1';

export interface Encryption {
  /** @returns `v1.<nonce>.<tag>.<ciphertext>` in base64url; the secret itself without SIGNING_KEY_SECRET */
  encrypt(secret: string, rowId: string): string;
  /** @throws Error if the value is encrypted and SIGNING_KEY_SECRET is missing or another one, or if it is of another row */
  decrypt(stored: string, rowId: string): string;
}

/**
 * @param keySecret the value of SIGNING_KEY_SECRET; without it, secrets are stored as they are
 * @param purpose names the key that is derived from it; it never changes, such as `hosting secrets`
 * @param what completes an error: `the hosting secret of a box`
 */
export function openEncryption(keySecret: string | undefined, purpose: string, what: string): Encryption {
  const key = keySecret === undefined ? null : Buffer.from(hkdfSync('sha256', keySecret, '', purpose, 32));
  return {
    encrypt(secret, rowId) {
      if (!key) return secret;
      const nonce = randomBytes(12);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(rowId));
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return [version, ...[nonce, cipher.getAuthTag(), encrypted].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(stored, rowId) {
      if (!stored.startsWith(`${version}.`)) return stored;
      const [nonce, tag, encrypted] = stored
        .split('.')
        .slice(1)
        .map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
      try {
        if (!key) throw new Error('it is not set');
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: 16 });
        decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag);
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(`SIGNING_KEY_SECRET does not decrypt ${what}: restore the former one`, { cause });
      }
    },
  };
}
