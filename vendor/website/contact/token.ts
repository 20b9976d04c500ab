/**
 * The time trap of the contact form: a token that the box signs when the form is shown. It tells when that was, so a
 * program that sends the form at once is recognised, whatever it says about itself.
 */
import { type Database, issueStamp, readStamp } from '@carton/runtime';
import { formExpired } from '../problems.ts';

const purpose = 'website.contact';
/** Nobody fills in the form in less. */
export const minimumSeconds = 3;
const lifetimeSeconds = 24 * 60 * 60;

export async function newFormToken(database: Database, tenantId: string) {
  const token = await issueStamp(database, tenantId, purpose);
  const now = Date.now();
  const after = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  return { token, notBefore: after(minimumSeconds), expiresAt: after(lifetimeSeconds) };
}

/**
 * Whether the form was sent too early.
 * @throws contact_form_expired (409) for a token that has expired or is none of this store
 */
export async function isTooEarly(database: Database, tenantId: string, stamp: string): Promise<boolean> {
  const age = await readStamp(database, { tenantId, purpose, stamp });
  if (age === null || age > lifetimeSeconds) throw formExpired('Ask for another token, and send the message with it.');
  return age < minimumSeconds;
}
