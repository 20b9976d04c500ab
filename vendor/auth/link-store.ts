/**
 * Queries of `staff_tokens`: links to reset a password or to change an e-mail address. A row is a request for a link. The
 * secret in the link is created when the link is sent, and only its hash is stored.
 */
import type { TenantDatabase } from '@carton/runtime';

/** The contents of the message with the link, apart from the secret. */
export interface LinkRecipient {
  email: string;
  name: string;
  locale: string | null;
  expiresAt: string;
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
