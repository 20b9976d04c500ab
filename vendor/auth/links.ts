/**
 * Queries of `staff_tokens`: password reset links. A row is a request for a link. The secret in the link is created
 * when the link is sent, and only its hash is stored.
 */
import { insertEvent, newId, outboxRow, type TenantDatabase } from '@carton/runtime';
import { passwordResetRequested } from './events.ts';

/**
 * Inserts a request for a link and its event if an active member of staff has this address. It is one statement in
 * either case, so that the response time does not reveal whether the account exists.
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

/** The contents of the message with the link, apart from the secret. */
export interface LinkRecipient {
  email: string;
  name: string;
  locale: string | null;
  expiresAt: string;
}

/** Sets the secret of an open request, replacing an earlier one. Returns null if the request is no longer open. */
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

/** The id of the member of staff whose link has this secret; null if there is none. */
export async function findLinkOwner(db: TenantDatabase, tokenHash: string): Promise<string | null> {
  const [row] = await db.query<{ staffUserId: string }>(
    'select staff_user_id from staff_tokens where tenant_id = $1 and token_hash = $2 and expires_at > now()',
    [tokenHash],
  );
  return row?.staffUserId ?? null;
}

/** Deletes a link, which works only once. Returns false if it has been used or has expired. */
export async function consumeLink(db: TenantDatabase, tokenHash: string): Promise<boolean> {
  const deleted = await db.query(
    'delete from staff_tokens where tenant_id = $1 and token_hash = $2 and expires_at > now() returning id',
    [tokenHash],
  );
  return deleted.length > 0;
}

/** Deletes some of the expired requests: more than one request inserts. */
export async function removeExpiredLinks(db: TenantDatabase): Promise<void> {
  await db.query(
    `delete from staff_tokens where tenant_id = $1 and id in (
       select id from staff_tokens where tenant_id = $1 and expires_at <= now()
        order by expires_at limit 20 for update skip locked)`,
  );
}
