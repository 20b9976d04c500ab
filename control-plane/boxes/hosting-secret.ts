/**
 * The hosting secrets of boxes: what the website hosting layer sends to a box so that the box believes the tenant it
 * names. Each box has its own, so that the partner of one box cannot pose as the hosting layer at another.
 *
 * With SIGNING_KEY_SECRET they are encrypted (AES-256-GCM) and bound to their box, so that a copy of the database is not
 * enough to read them, and a value does not work in another row.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Knex } from 'knex';

const algorithm = 'aes-256-gcm';
const version = 'v1';

export interface HostingSecrets {
  /** Gives a box a new secret and returns it. The former one is no longer sent. */
  replace(boxId: string): Promise<string>;
  /**
   * The secret of the box that serves a domain at a URL; null if it has none.
   * @throws Error if it is encrypted and SIGNING_KEY_SECRET is missing or another one
   */
  find(domain: string, backendUrl: string): Promise<string | null>;
}

/** @param keySecret encrypts the secrets; without it they are stored as they are */
export function openHostingSecrets(db: Knex, keySecret: string | undefined): HostingSecrets {
  const key = keySecret === undefined ? null : Buffer.from(hkdfSync('sha256', keySecret, '', 'hosting secrets', 32));
  return {
    async replace(boxId) {
      const secret = randomBytes(32).toString('base64url');
      await db('boxes')
        .where({ id: boxId })
        .update({ hostingSecret: encrypt(key, boxId, secret) });
      return secret;
    },
    async find(domain, backendUrl) {
      // With the URL, because the domain may have become that of another box since it was resolved.
      const row = await db('box_domains')
        .join('boxes', 'boxes.id', 'box_domains.boxId')
        .where({ 'box_domains.domain': domain, 'boxes.backendUrl': backendUrl })
        .whereIn('state', ['proved', 'failing'])
        .first('boxes.id', 'boxes.hostingSecret');
      return row?.hostingSecret == null ? null : decrypt(key, row.id, row.hostingSecret);
    },
  };
}

/** @returns `v1.<nonce>.<tag>.<ciphertext>`; the secret itself without a key */
function encrypt(key: Buffer | null, boxId: string, secret: string): string {
  if (!key) return secret;
  const nonce = randomBytes(12);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(boxId));
  const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return [version, ...[nonce, cipher.getAuthTag(), encrypted].map((part) => part.toString('base64url'))].join('.');
}

function decrypt(key: Buffer | null, boxId: string, stored: string): string {
  if (!stored.startsWith(`${version}.`)) return stored;
  const [nonce, tag, encrypted] = stored
    .split('.')
    .slice(1)
    .map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer, Buffer];
  try {
    if (!key) throw new Error('it is not set');
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: 16 });
    decipher.setAAD(Buffer.from(boxId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw new Error('SIGNING_KEY_SECRET does not decrypt the hosting secret of a box: restore the former one', {
      cause,
    });
  }
}
