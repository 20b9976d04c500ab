// Secrets that can be replaced while a process runs. One or two values are valid at a time; the first is the one that a
// process sends.

import { createHash, timingSafeEqual } from 'node:crypto';

/** A value, or the current values of a file (`secret-files.ts`). */
export type Secret = string | { readonly values: readonly string[] };

/** The values that are valid now; none if there is no secret. */
export function valuesOf(secret: Secret | undefined): readonly string[] {
  if (secret === undefined) return [];
  return typeof secret === 'string' ? [secret] : secret.values;
}

/** The value to send. */
export function firstOf(secret: Secret): string {
  return valuesOf(secret)[0] as string;
}

/** Compares with each value in constant time; nothing equals an empty value, or a secret that is not set. */
export function isOneOf(sent: string | null | undefined, secret: Secret | undefined): boolean {
  if (!sent) return false;
  const digest = sha256(sent);
  return valuesOf(secret).filter((value) => timingSafeEqual(digest, sha256(value))).length > 0;
}

/** Characters that hold 128 random bits in base64url. */
export const unguessableLength = 22;

/**
 * Whether nobody can guess a secret if it was generated: right ones are then accepted from everywhere, however many wrong
 * ones come from the same address. Nobody can tell how a shorter one was chosen.
 */
export function isUnguessable(secret: Secret | undefined): boolean {
  return valuesOf(secret).every(({ length }) => length >= unguessableLength);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
