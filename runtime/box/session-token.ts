/**
 * The format of shopper session tokens: a random session id of 43 characters, followed by a stamp of 30 characters with
 * the id of the signing key, the time of issue and the signature (HMAC-SHA-256, truncated to 128 bits; RFC 2104, section
 * 5). A token that is forged, expired or issued for another tenant is thus rejected without a database query. Renewing a
 * session issues a token with a new stamp and the same session id.
 */
import { createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret of the box that signs sessions. */
export interface SessionKey {
  /** Part of each stamp. */
  id: number;
  secret: KeyObject;
}

/** The contents of a valid token. */
export interface IssuedSession {
  /** The box stores its hash only. */
  sessionId: string;
  /** When its token was issued, in milliseconds since 1970. */
  issuedAt: number;
}

/** Days without use after which a session expires. */
export const sessionDays = 90;

const millisecondsADay = 24 * 60 * 60 * 1000;
const sessionIdBytes = 32;
const sessionIdLength = 43;
const keyBytes = 2;
const timeBytes = 4;
const signatureBytes = 16;
const tokenPattern = /^[A-Za-z0-9_-]{73}$/;
const sessionIdPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns the id of a new session. */
export function newSessionId(): string {
  return randomBytes(sessionIdBytes).toString('base64url');
}

/** True for the format of tokens that earlier releases issued, without a stamp. */
export function isUnsignedToken(text: string): boolean {
  return sessionIdPattern.test(text);
}

/**
 * Returns the token of a session.
 * @param tenantId the token is valid for this tenant only
 * @param now milliseconds since 1970
 */
export function issueToken(key: SessionKey, tenantId: string, sessionId: string, now = Date.now()): string {
  const head = Buffer.alloc(keyBytes + timeBytes);
  head.writeUInt16BE(key.id);
  head.writeUInt32BE(Math.floor(now / 1000), keyBytes);
  return sessionId + Buffer.concat([head, signatureOf(key, tenantId, sessionId, head)]).toString('base64url');
}

/** The id of the key in a token's stamp; null when the text does not have the format of a token. */
export function keyIdOf(token: string): number | null {
  return tokenPattern.test(token) ? Buffer.from(token.slice(sessionIdLength), 'base64url').readUInt16BE() : null;
}

/** Returns the session of a token; null when this key did not sign it for this tenant, or it has expired. */
export function readToken(key: SessionKey, tenantId: string, token: string, now = Date.now()): IssuedSession | null {
  const sessionId = token.slice(0, sessionIdLength);
  const text = token.slice(sessionIdLength);
  const stamp = Buffer.from(text, 'base64url');
  // The last character has bits that decoding ignores (RFC 4648, section 3.5): only one spelling of a token is valid.
  if (stamp.toString('base64url') !== text) return null;
  const head = stamp.subarray(0, keyBytes + timeBytes);
  const signature = stamp.subarray(keyBytes + timeBytes);
  if (signature.length !== signatureBytes) return null;
  if (!timingSafeEqual(signature, signatureOf(key, tenantId, sessionId, head))) return null;
  const session = { sessionId, issuedAt: head.readUInt32BE(keyBytes) * 1000 };
  return ageOf(session, now) < sessionDays ? session : null;
}

/** Days since the token of a session was issued. */
export function ageOf({ issuedAt }: IssuedSession, now = Date.now()): number {
  return (now - issuedAt) / millisecondsADay;
}

function signatureOf({ secret }: SessionKey, tenantId: string, sessionId: string, head: Buffer): Buffer {
  // Every part has a fixed length, so the concatenation is unambiguous.
  return createHmac('sha256', secret)
    .update(tenantId + sessionId)
    .update(head)
    .digest()
    .subarray(0, signatureBytes);
}
