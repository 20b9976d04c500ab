/**
 * Creating secrets and computing when they expire.
 */
import { randomBytes } from 'node:crypto';

/** A secret with 256 random bits. Its prefix identifies its kind to readers and to scanners for leaked secrets. */
export function newToken(
  prefix: 'sts' | 'chl' | 'inv' | 'rst' | 'eml' | 'dvc' | 'mbs' | 'mbv' | 'mbr' | 'ord' | 'dwn',
): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The time in a number of minutes from now, ISO 8601. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60 * 1000).toISOString();
}

/** E-mail addresses are compared without regard to case. */
export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}
