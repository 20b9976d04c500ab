/**
 * What a shopper's session looks like outside of the box: 43 random characters that name it, and after them a stamp of
 * 30: which key the box signed it with, when, and the signature (HMAC-SHA-256, cut to 128 bits; RFC 2104, section 5).
 * So a token that the box did not issue, or issued to another shop, or too long ago, is known without a look into the
 * database. A session that goes on is stamped anew and keeps its name.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret of the box that sessions are signed with. */
export interface SessionKey {
  /** Stands in the stamps. */
  id: number;
  secret: KeyObject;
}

/** A session by what its token says, which was signed with a key of the box. */
export interface IssuedSession {
  /** The name of the session: what the box keeps a hash of. */
  name: string;
  /** Days since its token was issued. */
  age: number;
}

/** A session that is not used for so long is over. */
export const sessionDays = 90;

const millisecondsADay = 24 * 60 * 60 * 1000;
const nameBytes = 32;
const nameLength = 43;
const keyBytes = 2;
const timeBytes = 4;
const signatureBytes = 16;
const tokenPattern = /^[A-Za-z0-9_-]{73}$/;
const namePattern = /^[A-Za-z0-9_-]{43}$/;

/** The name of a session that did not exist before. */
export function newSessionName(): string {
  return randomBytes(nameBytes).toString('base64url');
}

/** True for what looks like the token of a session as boxes issued it before there were stamps: a bare name. */
export function isUnsignedToken(text: string): boolean {
  return namePattern.test(text);
}

/**
 * The token of a session.
 * @param tenantId the shop it is for; it is none in another
 * @param now milliseconds since 1970
 */
export function issueToken(key: SessionKey, tenantId: string, name: string, now = Date.now()): string {
  const head = Buffer.alloc(keyBytes + timeBytes);
  head.writeUInt16BE(key.id);
  head.writeUInt32BE(Math.floor(now / 1000), keyBytes);
  return name + Buffer.concat([head, signatureOf(key, tenantId, name, head)]).toString('base64url');
}

/** The id of the key that a token says it was signed with; null for what is no token at all. */
export function keyIdOf(token: string): number | null {
  return tokenPattern.test(token) ? Buffer.from(token.slice(nameLength), 'base64url').readUInt16BE() : null;
}

/** The session of a token; null when this key did not sign it for this shop, or too long ago. */
export function readToken(key: SessionKey, tenantId: string, token: string, now = Date.now()): IssuedSession | null {
  const name = token.slice(0, nameLength);
  const stamp = Buffer.from(token.slice(nameLength), 'base64url');
  const head = stamp.subarray(0, keyBytes + timeBytes);
  const signature = stamp.subarray(keyBytes + timeBytes);
  if (signature.length !== signatureBytes) return null;
  if (!timingSafeEqual(signature, signatureOf(key, tenantId, name, head))) return null;
  const age = (now - head.readUInt32BE(keyBytes) * 1000) / millisecondsADay;
  return age < sessionDays ? { name, age } : null;
}

function signatureOf({ secret }: SessionKey, tenantId: string, name: string, head: Buffer): Buffer {
  // Each part has one length, so no two sessions are signed by the same bytes.
  return createHmac('sha256', secret)
    .update(tenantId + name)
    .update(head)
    .digest()
    .subarray(0, signatureBytes);
}
