/**
 * The format of administrators' secrets: `ctn_admin_<random>_<checksum>`. Like licence keys, they have 160 random bits, so
 * their SHA-256 is stored without a salt and found by an index.
 */
import { generateToken, hasChecksum, keyPrefix } from '../license/key.ts';

const prefix = `${keyPrefix}_admin`;

/** Generates a secret. */
export function generateSecret(): string {
  return generateToken(prefix);
}

/** Whether a text has the format and the checksum of a secret. No such text is a guess at a secret of the settings. */
export function isAdministratorSecret(text: string): boolean {
  return text.startsWith(`${prefix}_`) && hasChecksum(text);
}
