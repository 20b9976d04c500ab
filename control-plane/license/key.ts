/**
 * The format of licence keys: `ctn_<tier>_<random>_<checksum>`. The random part has 160 bits; the checksum detects
 * mistyped keys without a query of the database.
 */
import { createHash, randomBytes } from 'node:crypto';
import { hashToken, type Tier, tiers } from '@carton/runtime/service';

/** The first part of every key. It never changes: secret scanners recognise keys by it. */
export const keyPrefix = 'ctn';

const randomBytesInKey = 20;
const checksumLength = 6;
const guessPrefixLength = 8;
const pattern = new RegExp(`^(${keyPrefix}_(${tiers.join('|')})_([a-z2-7]{32}))_([a-z2-7]{${checksumLength}})$`);

export interface ParsedKey {
  tier: Tier;
  /** SHA-256 of the key, which is stored in place of it. */
  hash: string;
  /** The first characters of the random part (40 bits), by which guesses are counted. */
  guessPrefix: string;
}

/** Generates a key. */
export function generateKey(tier: Tier): { key: string; hash: string; last4: string } {
  const key = generateToken(`${keyPrefix}_${tier}`);
  return { key, hash: hashToken(key), last4: key.slice(-4) };
}

/** Generates `<prefix>_<160 random bits>_<checksum>`. */
export function generateToken(prefix: string): string {
  const body = `${prefix}_${base32(randomBytes(randomBytesInKey))}`;
  return `${body}_${checksumOf(body)}`;
}

/** Whether a text ends with `_` and the checksum of what is before it. */
export function hasChecksum(text: string): boolean {
  const end = text.lastIndexOf('_');
  return end > 0 && text.slice(end + 1) === checksumOf(text.slice(0, end));
}

/** Parses a key. Returns null if its format or its checksum is invalid. */
export function parseKey(text: string): ParsedKey | null {
  const [, body, tier, random, checksum] = pattern.exec(text) ?? [];
  if (body === undefined || random === undefined || checksumOf(body) !== checksum) return null;
  return { tier: tier as Tier, hash: hashToken(text), guessPrefix: random.slice(0, guessPrefixLength) };
}

/** The first 30 bits of the SHA-256: one mistyped key in a billion has a valid checksum. */
function checksumOf(body: string): string {
  return base32(createHash('sha256').update(body).digest()).slice(0, checksumLength);
}

/** Base 32 (RFC 4648, section 6) in lower case, without padding characters. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}
