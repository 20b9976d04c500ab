/**
 * Queries of `staff_tokens`: links to reset a password or to change an e-mail address. A row is a request for a link. The
 * secret in the link is created when the link is sent, and only its hash is stored.
 */
import { newId, publish, type TenantDatabase } from '@carton/runtime';
import { emailChangeRequested, passwordResetRequested } from './events.ts';

/**
 * Inserts a request for a link and its event, whether or not a member of staff has the address: both ways do the same
 * work, so that the response time does not reveal whether the account exists. Sending looks for the account.
 */
export async function insertLinkRequest(tx: TenantDatabase, email: string, expiresAt: string): Promise<void> {
  const requestId = newId();
  await tx.insert('staff_tokens', { id: requestId, purpose: 'password_reset', email, expiresAt });
  await publish(tx, passwordResetRequested, { type: 'staff_link', id: requestId }, { requestId, expiresAt });
}

/** The contents of the message with the link, apart from the secret. */
export interface LinkRecipient {
  email: string;
  name: string;
  locale: string | null;
  expiresAt: string;
}

/**
 * Sets the secret of an open request, replacing an earlier one. Returns null if the request is no longer open, or no
 * active member of staff has the address.
 */
export async function setLinkSecret(
  db: TenantDatabase,
  requestId: string,
  tokenHash: string,
): Promise<LinkRecipient | null> {
  const [recipient] = await db.query<LinkRecipient>(
    `update staff_tokens set token_hash = $3, staff_user_id = staff_users.id from staff_users
      where staff_tokens.tenant_id = $1 and staff_tokens.id = $2 and staff_tokens.purpose = 'password_reset'
        and staff_tokens.expires_at > now()
        and staff_users.tenant_id = $1 and staff_users.status = 'active'
        and (staff_users.id = staff_tokens.staff_user_id
             or (staff_tokens.staff_user_id is null and staff_users.email = staff_tokens.email))
     returning staff_users.email, staff_users.name, staff_users.locale, staff_tokens.expires_at`,
    [requestId, tokenHash],
  );
  return recipient ?? null;
}

/** Inserts a member of staff's request for a link to a new address, and its event. */
export async function insertEmailChange(
  tx: TenantDatabase,
  { staffUserId, ...link }: { staffUserId: string; email: string; expiresAt: string },
): Promise<void> {
  const requestId = newId();
  await tx.insert('staff_tokens', { id: requestId, staffUserId, purpose: 'email_change', ...link });
  const payload = { requestId, expiresAt: link.expiresAt };
  await publish(tx, emailChangeRequested, { type: 'staff_user', id: staffUserId }, payload);
}

/**
 * Sets the secret of an open request for a new address, replacing an earlier one. Returns null if the request is no
 * longer open, or a member of staff has the address.
 */
export async function setEmailChangeSecret(
  db: TenantDatabase,
  requestId: string,
  tokenHash: string,
): Promise<LinkRecipient | null> {
  const [recipient] = await db.query<LinkRecipient>(
    `update staff_tokens set token_hash = $3 from staff_users
      where staff_tokens.tenant_id = $1 and staff_tokens.id = $2 and staff_tokens.purpose = 'email_change'
        and staff_tokens.expires_at > now()
        and staff_users.tenant_id = $1 and staff_users.id = staff_tokens.staff_user_id
        and staff_users.status = 'active'
        and not exists (select 1 from staff_users as others
                         where others.tenant_id = $1 and others.email = staff_tokens.email)
     returning staff_tokens.email, staff_users.name, staff_users.locale, staff_tokens.expires_at`,
    [requestId, tokenHash],
  );
  return recipient ?? null;
}

type Purpose = 'password_reset' | 'email_change';

// A token serves only what it was requested for.
const isOpen = 'tenant_id = $1 and token_hash = $2 and purpose = $3 and expires_at > now()';

/** The id of the member of staff whose link has this secret; null if there is none. */
export async function findLinkOwner(db: TenantDatabase, tokenHash: string, purpose: Purpose): Promise<string | null> {
  const [row] = await db.query<{ staffUserId: string }>(`select staff_user_id from staff_tokens where ${isOpen}`, [
    tokenHash,
    purpose,
  ]);
  return row?.staffUserId ?? null;
}

/** Deletes a link, which works only once. Returns null if it has been used or has expired, and else its address. */
export async function consumeLink(
  db: TenantDatabase,
  tokenHash: string,
  purpose: Purpose,
): Promise<{ email: string | null } | null> {
  const [link] = await db.query<{ email: string | null }>(`delete from staff_tokens where ${isOpen} returning email`, [
    tokenHash,
    purpose,
  ]);
  return link ?? null;
}

/** Deletes some of the expired requests: more than one request inserts. */
export async function removeExpiredLinks(db: TenantDatabase): Promise<void> {
  await db.query(
    `delete from staff_tokens where tenant_id = $1 and id in (
       select id from staff_tokens where tenant_id = $1 and expires_at <= now()
        order by expires_at limit 20 for update skip locked)`,
  );
}
