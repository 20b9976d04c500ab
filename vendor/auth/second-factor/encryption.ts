/**
 * Encryption of the secrets of second factors with the key of the box (`SECOND_FACTOR_KEY`): AES-256-GCM, bound to the
 * tenant and the person, so that a copy of the database is not enough to compute codes, and a value does not work in
 * another row.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { TenantDatabase } from '@carton/runtime';
import { authSettings } from '../settings.ts';

const algorithm = 'aes-256-gcm';
const version = 'v1';

function keyOf(db: TenantDatabase): Buffer | null {
  const { SECOND_FACTOR_KEY: text } = authSettings.of(db);
  return text === undefined ? null : Buffer.from(hkdfSync('sha256', text, '', 'staff second factor', 32));
}

function boundTo(db: TenantDatabase, staffUserId: string): Buffer {
  return Buffer.from(`${db.tenantId} ${staffUserId}`);
}

/** @returns `v1.<nonce>.<tag>.<ciphertext>`; the secret itself if the box has no key */
export function encryptSecret(db: TenantDatabase, staffUserId: string, secret: string): string {
  const key = keyOf(db);
  if (!key) return secret;
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(boundTo(db, staffUserId));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return [version, ...[nonce, cipher.getAuthTag(), encrypted].map((part) => part.toString('base64url'))].join('.');
}

/** Reads a stored secret, encrypted or not. @throws Error if the key is missing or another one than at encryption */
export function decryptSecret(db: TenantDatabase, staffUserId: string, stored: string): string {
  if (!stored.startsWith(`${version}.`)) return stored;
  const [nonce, tag, encrypted] = stored
    .split('.')
    .slice(1)
    .map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
  try {
    const key = keyOf(db);
    if (!key) throw new Error('it is not set');
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: 16 });
    decipher.setAAD(boundTo(db, staffUserId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new Error('SECOND_FACTOR_KEY does not decrypt a second factor: restore the former key', { cause: error });
  }
}
