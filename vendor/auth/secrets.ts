/**
 * Secrets that auth gives out, and how long they hold.
 */
import { randomBytes } from 'node:crypto';

/** A secret with 256 random bits; the prefix tells a reader (and a scanner for leaked secrets) what it is. */
export function newToken(prefix: 'sts' | 'inv' | 'rst' | 'dvc'): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The instant so many minutes from now. */
export function inMinutes(minutes: number): string {
  return new Date(Date.now() + minutes * 60 * 1000).toISOString();
}

/** E-mail addresses are compared without regard to case. */
export function normalizeEmail(email: string): string {
  return email.toLowerCase();
}
