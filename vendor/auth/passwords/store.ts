/**
 * Queries of requests for links to reset a password: rows of `staff_tokens`.
 */
import { newId, type TenantDatabase } from '@carton/runtime';
import type { LinkRecipient } from '../link-store.ts';

/** Inserts a request, whether or not a member of staff has the address: sending looks for the account. Returns its id. */
export async function insertRequest(tx: TenantDatabase, email: string, expiresAt: string): Promise<string> {
  const id = newId();
  await tx.insert('staff_tokens', { id, purpose: 'password_reset', email, expiresAt });
  return id;
}

/**
 * Sets the secret of an open request, replacing an earlier one. Returns null if the request is no longer open, or no
 * active member of staff has the address.
 */
export async function setSecret(
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
