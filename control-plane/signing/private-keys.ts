/**
 * Private keys at rest: PKCS #8. With SIGNING_KEY_SECRET they are encrypted, so that a copy of the database is not enough to
 * sign tokens. While SIGNING_KEY_SECRET is replaced it has two values: the first encrypts, and both decrypt.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Knex } from 'knex';
import { type Secret, valuesOf } from '../registry/secrets.ts';
import { listPrivateKeys, replacePrivateKey } from './store.ts';

/** Returns PEM, encrypted with the first value of the secret if there is one. */
export function encryptKey(key: KeyObject, secret: Secret | undefined): string {
  const [passphrase] = valuesOf(secret);
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return key.export({ type: 'pkcs8', format: 'pem', ...encryption }).toString();
}

/**
 * Decrypts a key. `isCurrent` is false if `encryptKey` would store it otherwise.
 * @throws Error if it is encrypted and the secret is missing or wrong
 */
export function decryptKey(pem: string, secret: Secret | undefined): { key: KeyObject; isCurrent: boolean } {
  const values = valuesOf(secret);
  if (!pem.includes('ENCRYPTED PRIVATE KEY')) return { key: createPrivateKey(pem), isCurrent: values.length === 0 };
  let cause: unknown;
  for (const [at, passphrase] of values.entries()) {
    try {
      return { key: createPrivateKey({ key: pem, passphrase }), isCurrent: at === 0 };
    } catch (error) {
      cause ??= error;
    }
  }
  throw new Error('the signing key is encrypted: set SIGNING_KEY_SECRET to the secret that encrypted it', { cause });
}

/**
 * Encrypts the private keys with the first value of the secret that are not. Each is replaced by one statement, only if it
 * has not been changed in between.
 * @returns how many were replaced
 * @throws Error if one of them cannot be decrypted
 */
export async function encryptKeysAgain(db: Knex, secret: Secret | undefined): Promise<number> {
  let replaced = 0;
  for (const { kid, privateKey } of await listPrivateKeys(db)) {
    const { key, isCurrent } = decryptKey(privateKey, secret);
    if (!isCurrent) replaced += await replacePrivateKey(db, kid, { from: privateKey, to: encryptKey(key, secret) });
  }
  return replaced;
}
