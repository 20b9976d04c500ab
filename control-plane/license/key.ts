/**
 * What a licence key looks like: `ctn_<tier>_<random>_<checksum>`. The random part has 160 bits; the checksum tells
 * a mistyped key from an unknown one without asking the database.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hashToken, type Tier, tiers } from '@carton/runtime/service';

/** First part of every key. It never changes: secret scanners know keys by it. */
export const keyPrefix = 'ctn';

const randomBytesInKey = 20;
const checksumLength = 6;
const guardedPrefixLength = 8;
const pattern = new RegExp(`^(${keyPrefix}_(${tiers.join('|')})_([a-z2-7]{32}))_([a-z2-7]{${checksumLength}})$`);

export interface ParsedKey {
  tier: Tier;
  /** The form in which a key is stored: its SHA-256. */
  hash: string;
  /** The first characters of the random part (40 bits): guesses are counted by it. */
  guardedPrefix: string;
}

/** Makes a key that nobody has had. */
export function makeKey(tier: Tier): { key: string; hash: string; last4: string } {
  const body = `${keyPrefix}_${tier}_${base32(randomBytes(randomBytesInKey))}`;
  const key = `${body}_${checksumOf(body)}`;
  return { key, hash: hashToken(key), last4: key.slice(-4) };
}

/** Reads a key; null when it has another form or its checksum does not fit. */
export function parseKey(text: string): ParsedKey | null {
  const [, body, tier, random, checksum] = pattern.exec(text) ?? [];
  if (body === undefined || random === undefined || checksumOf(body) !== checksum) return null;
  return { tier: tier as Tier, hash: hashToken(text), guardedPrefix: random.slice(0, guardedPrefixLength) };
}

/** The first 30 bits of the SHA-256: one mistyped key in a thousand million passes. */
function checksumOf(body: string): string {
  return base32(createHash('sha256').update(body).digest()).slice(0, checksumLength);
}

/** Base 32 (RFC 4648, section 6) in lower case; the last character may stand for fewer than five bits. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}
