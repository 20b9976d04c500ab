/**
 * Queries of requests for links to a new address: rows of `staff_tokens`.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { LinkRecipient } from '../link-store.ts';

/** Inserts a request of a member of staff. Returns its id. */
export async function insertRequest(
  tx: TenantDatabase,
  request: { staffUserId: string; email: string; expiresAt: string },
): Promise<string> {
  const id = newId();
  await tx.insert('staff_tokens', { id, purpose: 'email_change', ...request });
  return id;
}

/**
 * Sets the secret of an open request, replacing an earlier one. Returns null if the request is no
 * longer open, or a member of staff has the address.
 */
export async function setSecret(
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
