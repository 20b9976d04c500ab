/**
 * Queries of `staff_tokens`: links that let somebody set a new password. A row is a request for a link; the secret in
 * the link is made when the link is sent, and only its hash is kept.
 */
import { insertEvent, newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { passwordResetRequested } from './events.ts';

/**
 * Writes a request for a link and its event, when an active member of staff has this address. It is one statement
 * whether or not somebody has, so that the time it takes does not tell.
 */
export async function insertLinkRequest(db: TenantDatabase, email: string, expiresAt: string): Promise<void> {
  const requestId = newId();
  const event = outboxRow(
    db,
    passwordResetRequested,
    { type: 'staff_user', id: requestId },
    { requestId, email, expiresAt },
  );
  await db.query(
    `with person as (
       select id from staff_users where tenant_id = $1 and email = $2 and status = 'active'
     ),
     request as (
       insert into staff_tokens (tenant_id, id, staff_user_id, purpose, expires_at)
       select $1, $3, id, 'password_reset', $4 from person
     )
     ${insertEvent({ id: '$5', type: '$6', resourceType: '$7', resourceId: 'id', payload: '$8' }, 'from person')}`,
    [email, requestId, expiresAt, event.id, event.type, event.resourceType, event.payload],
  );
}

/** What the message with the link needs. */
export interface LinkRecipient {
  email: string;
  name: string;
  locale: string | null;
  expiresAt: string;
}

/** Gives an open request its secret, in place of one that it was given before; null when it is no longer open. */
export async function setLinkSecret(
  db: TenantDatabase,
  requestId: string,
  tokenHash: string,
): Promise<LinkRecipient | null> {
  const [recipient] = await db.query<LinkRecipient>(
    `update staff_tokens set token_hash = $3 from staff_users
      where staff_tokens.tenant_id = $1 and staff_tokens.id = $2 and staff_tokens.expires_at > now()
        and staff_users.tenant_id = $1 and staff_users.id = staff_tokens.staff_user_id
        and staff_users.status = 'active'
     returning staff_users.email, staff_users.name, staff_users.locale, staff_tokens.expires_at`,
    [requestId, tokenHash],
  );
  return recipient ?? null;
}

/** Id of the member of staff whose link has this secret. */
export async function findLinkOwner(db: TenantDatabase, tokenHash: string): Promise<string | null> {
  const [row] = await db.query<{ staffUserId: string }>(
    'select staff_user_id from staff_tokens where tenant_id = $1 and token_hash = $2 and expires_at > now()',
    [tokenHash],
  );
  return row?.staffUserId ?? null;
}

/** Takes a link away: it works once, for whoever comes first. Answers whether it was there. */
export async function takeLink(db: TenantDatabase, tokenHash: string): Promise<boolean> {
  const taken = await db.query(
    'delete from staff_tokens where tenant_id = $1 and token_hash = $2 and expires_at > now() returning id',
    [tokenHash],
  );
  return taken.length > 0;
}

/** Removes some of the requests that have run out: more at a time than one request adds. */
export async function removeExpiredLinks(db: TenantDatabase): Promise<void> {
  await db.query(
    `delete from staff_tokens where tenant_id = $1 and id in (
       select id from staff_tokens where tenant_id = $1 and expires_at <= now()
        order by expires_at limit 20 for update skip locked)`,
  );
}
