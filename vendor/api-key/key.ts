/**
 * What an API key looks like: `ck_<kind>_<random><checksum>`. The random part has 160 bits; the checksum tells what
 * cannot be a key without asking the database, and lets a scanner for leaked secrets tell a key from a likeness.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hashToken } from '@carton/runtime';

export const kinds = ['publishable', 'secret'] as const;
export type Kind = (typeof kinds)[number];

const pattern = /^(ck_(?:publishable|secret)_[0-9a-f]{40})([0-9a-f]{8})$/;

/** Makes a key that nobody has had. Only `hash` and `lastFour` are kept. */
export function makeKey(kind: Kind): { key: string; hash: string; lastFour: string } {
  const body = `ck_${kind}_${randomBytes(20).toString('hex')}`;
  const key = body + checksumOf(body);
  return { key, hash: hashToken(key), lastFour: key.slice(-4) };
}

/** The form in which a key is kept; null for what cannot be one. */
export function hashOfKey(text: string): string | null {
  const [, body, checksum] = pattern.exec(text) ?? [];
  return body !== undefined && checksumOf(body) === checksum ? hashToken(text) : null;
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}
