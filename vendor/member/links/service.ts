/**
 * Requests for links, and the tokens in the links that are sent. A link to an address proves that its user reads the mail
 * of that address. The token is created when the link is sent, so that the mail has the only copy, and only its hash is
 * stored. Sending a link again creates another token; all tokens for an address are deleted at the first use of one.
 */
import { inMinutes, newToken } from '@carton/auth';
import { hashToken, publish, type TenantDatabase } from '@carton/runtime';
import { type LinkPurpose, linkRequests } from '../events.ts';
import { insertRequest, insertToken, type LinkRow } from './store.ts';

const minutesADay = 24 * 60;
const minutesOf: Readonly<Record<LinkPurpose, number>> = {
  registration: 2 * minutesADay,
  verification: 2 * minutesADay,
  password_reset: 30,
  email_change: minutesADay,
  email_changed: 7 * minutesADay,
};

/**
 * Whether a link is used in the session that requested it. The reader of the mail may be another person than
 * the one who has entered the address.
 */
export function isSameSession({ sessionHash }: Pick<LinkRow, 'sessionHash'>, used: { hash: string | null }): boolean {
  return sessionHash !== null && sessionHash === used.hash;
}

/** Requests a link to an address, in the transaction of its cause. The event causes the mail. */
export async function requestLink(
  tx: TenantDatabase,
  purpose: LinkPurpose,
  request: Pick<LinkRow, 'email'> & Partial<Pick<LinkRow, 'memberId' | 'passwordHash' | 'profile' | 'sessionHash'>>,
): Promise<void> {
  const expiresAt = inMinutes(minutesOf[purpose]);
  const requestId = await insertRequest(tx, { purpose, ...request, expiresAt });
  // Mails are found by the resource of their event, for example to erase them with the member.
  const { memberId } = request;
  const resource = memberId ? { type: 'member', id: memberId } : { type: 'member_link', id: requestId };
  await publish(tx, linkRequests[purpose], resource, { requestId, expiresAt });
}

/** Creates a token for a request. Returns null if the request is no longer open. */
export async function issueToken(db: TenantDatabase, { id, purpose }: LinkRow): Promise<string | null> {
  const token = newToken(purpose === 'password_reset' ? 'mbr' : 'mbv');
  return (await insertToken(db, id, hashToken(token))) ? token : null;
}
