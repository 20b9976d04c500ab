/**
 * The hosting secrets of boxes: what the website hosting layer sends to a box so that the box believes the tenant it
 * names. Each box has its own, so that the partner of one box cannot pose as the hosting layer at another. They are
 * encrypted and bound to their box.
 */
import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { type Encryption, openEncryption } from '../encryption.ts';
import type { Secret } from '../registry/secrets.ts';

export interface HostingSecrets {
  /** Gives a box a new secret and returns it. The former one is no longer sent. */
  replace(boxId: string): Promise<string>;
  /**
   * The secret of the box that serves a domain at a URL; null if it has none.
   * @throws Error if it is encrypted and SIGNING_KEY_SECRET is missing or another one
   */
  find(domain: string, backendUrl: string): Promise<string | null>;
}

export function hostingSecretEncryption(keySecret: Secret | undefined): Encryption {
  return openEncryption(keySecret, 'hosting secrets', 'the hosting secret of a box');
}

/** @param keySecret encrypts the secrets; without it they are stored as they are */
export function openHostingSecrets(db: Knex, keySecret: Secret | undefined): HostingSecrets {
  const { encrypt, decrypt } = hostingSecretEncryption(keySecret);
  return {
    async replace(boxId) {
      const secret = randomBytes(32).toString('base64url');
      await db('boxes')
        .where({ id: boxId })
        .update({ hostingSecret: encrypt(secret, boxId) });
      return secret;
    },
    async find(domain, backendUrl) {
      // With the URL, because the domain may have become that of another box since it was resolved.
      const row = await db('box_domains')
        .join('boxes', 'boxes.id', 'box_domains.boxId')
        .where({ 'box_domains.domain': domain, 'boxes.backendUrl': backendUrl })
        .whereIn('state', ['proved', 'failing'])
        .first('boxes.id', 'boxes.hostingSecret');
      return row?.hostingSecret == null ? null : decrypt(row.hostingSecret, row.id);
    },
  };
}
