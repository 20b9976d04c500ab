/**
 * The format of API keys: `ck_<kind>_<random><checksum>`, with 160 random bits. The checksum lets the box reject
 * mistyped keys without a query, and scanners for leaked secrets recognize keys.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hashToken } from '@carton/runtime';

export const kinds = ['publishable', 'secret'] as const;
export type Kind = (typeof kinds)[number];

const pattern = /^(ck_(?:publishable|secret)_[0-9a-f]{40})([0-9a-f]{8})$/;

/** Generates a new key. Only `hash` and `lastFour` are stored. */
export function generateKey(kind: Kind): { key: string; hash: string; lastFour: string } {
  const body = `ck_${kind}_${randomBytes(20).toString('hex')}`;
  const key = body + checksumOf(body);
  return { key, hash: hashToken(key), lastFour: key.slice(-4) };
}

/** The hash by which a key is stored; null if the text is not a valid key. */
export function hashOfKey(text: string): string | null {
  const [, body, checksum] = pattern.exec(text) ?? [];
  return body !== undefined && checksumOf(body) === checksum ? hashToken(text) : null;
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}
