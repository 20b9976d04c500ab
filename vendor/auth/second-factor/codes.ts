/**
 * Codes of the second factor: those of an authenticator (TOTP, RFC 6238) and recovery codes.
 */
import { hashToken } from '@carton/runtime';
import { Secret, TOTP } from 'otpauth';

/** What authenticators expect when a link says nothing else: SHA-1, 6 digits, 30 seconds. */
const parameters = { algorithm: 'SHA1', digits: 6, period: 30 };

/** Time steps before and after the current one whose codes are accepted: clocks differ. */
const window = 1;

const recoveryCodeCount = 10;
const recoveryCodeBytes = 10;

/** @returns a new secret in base32 (RFC 4648) */
export function newSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth://` URI of a secret, which authenticators read from a QR code. */
export function uriOf(secret: string, { store, email }: { store: string; email: string }): string {
  return new TOTP({ ...parameters, issuer: store, label: email, secret: Secret.fromBase32(secret) }).toString();
}

/**
 * The time step of a code; null if no accepted time step has it.
 * @param timestamp milliseconds since 1970
 */
export function stepOf(secret: string, code: string, timestamp = Date.now()): number | null {
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, window, timestamp });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** A code without the spaces and hyphens in which people type it. */
export function normalizeCode(code: string): string {
  return code.replace(/[\s-]/g, '').toLowerCase();
}

/** True for the form of an authenticator's code; any other code is a recovery code. */
export function isTimeCode(normalized: string): boolean {
  return /^\d{6}$/.test(normalized);
}

/** New recovery codes of 80 random bits: `abcd-efgh-2345-6767`. */
export function newRecoveryCodes(): string[] {
  const newCode = () => new Secret({ size: recoveryCodeBytes }).base32.toLowerCase();
  return Array.from({ length: recoveryCodeCount }, () => (newCode().match(/.{4}/g) as string[]).join('-'));
}

/** The stored form of a recovery code. It is as random as a token, so a fast hash is enough. */
export function hashRecoveryCode(code: string): string {
  return hashToken(normalizeCode(code));
}
