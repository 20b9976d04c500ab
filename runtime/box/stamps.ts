/**
 * Stamps: proof of when the box issued something, such as a form. They are signed with the keys of shopper sessions, and
 * valid for one tenant and one purpose only; nothing is stored.
 */
import type { Database } from '../db/database.ts';
import { sessionKeysOf } from './session-keys.ts';
import { newSessionId } from './session-token.ts';

/** What is signed in place of the tenant's id. It is longer than one, so that no stamp is a session or the reverse. */
const signedFor = (tenantId: string, purpose: string) => `${tenantId} ${purpose}`;

/** @param purpose the package and what is stamped: `website.contact` */
export async function issueStamp(database: Database, tenantId: string, purpose: string): Promise<string> {
  const keys = sessionKeysOf(database);
  await keys.ready();
  return keys.issue(signedFor(tenantId, purpose), newSessionId());
}

/** The seconds since a stamp was issued; null unless the box has issued it for this tenant and purpose. */
export async function readStamp(
  database: Database,
  { tenantId, purpose, stamp }: { tenantId: string; purpose: string; stamp: string },
): Promise<number | null> {
  const issued = await sessionKeysOf(database).read(signedFor(tenantId, purpose), stamp);
  return issued && (Date.now() - issued.issuedAt) / 1000;
}
