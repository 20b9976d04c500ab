/**
 * Queries of the personal data of members.
 */
import type { Subject, TenantDatabase } from '@carton/runtime';

/** In a reserved top-level domain that never resolves (RFC 2606, section 2). */
const erasedEmail = 'erased@erased.invalid';

/** Ids of a member's addresses, also of removed ones that are in the log of changes by staff. */
export async function listAddressIds(db: TenantDatabase, memberId: string): Promise<string[]> {
  const addresses = await db.query<{ id: string }>(
    `select id from member_addresses where tenant_id = $1 and member_id = $2
      union all
     select unnest(former_address_ids) from members where tenant_id = $1 and id = $2`,
    [memberId],
  );
  return addresses.map(({ id }) => id);
}

/** The account of a member who is not erased, with sessions and addresses; null if there is none. */
export async function readAccount(
  db: TenantDatabase,
  memberId: string | null,
): Promise<Record<string, unknown> | null> {
  const [account] = await db.query<Record<string, unknown>>(
    `select email, email_verified_at, name, phone, locale, tax_number, tax_exempt, status, accepts_marketing, marketing_changed_at,
            marketing_source, external_id, metadata, created_at, updated_at,
            (select coalesce(json_agg(json_build_object('address', address, 'userAgent', user_agent,
                                                        'createdAt', created_at) order by id), '[]')
               from member_sessions sessions
              where sessions.tenant_id = $1 and sessions.member_id = members.id) as sessions,
            (select coalesce(json_agg(to_jsonb(addresses) - '{tenant_id,member_id}'::text[] order by id), '[]')
               from member_addresses addresses
              where addresses.tenant_id = $1 and addresses.member_id = members.id) as addresses
       from members where tenant_id = $1 and id = $2 and erased_at is null`,
    [memberId],
  );
  return account ?? null;
}

type Owner = Pick<Subject, 'memberId' | 'emails'>;

/** The requests for links of a member, or to one of the addresses. */
export function listRequests(db: TenantDatabase, { memberId, emails }: Owner): Promise<object[]> {
  return db.query(
    `select email, purpose, profile, created_at from member_tokens
      where tenant_id = $1 and token_hash is null and (member_id = $2 or email = any($3::text[])) order by id`,
    [memberId, emails],
  );
}

/** Deletes the links of a member, or to one of the addresses, and the requests for them. */
export async function removeLinksOf(tx: TenantDatabase, { memberId, emails }: Owner): Promise<void> {
  await tx.query('delete from member_tokens where tenant_id = $1 and (member_id = $2 or email = any($3::text[]))', [
    memberId,
    emails,
  ]);
}

/** Deletes the sessions, addresses and words of a member. */
export async function removeRowsOf(tx: TenantDatabase, memberId: string | null): Promise<void> {
  for (const table of ['member_sessions', 'member_addresses', 'member_words']) {
    await tx.query(`delete from ${table} where tenant_id = $1 and member_id = $2`, [memberId]);
  }
}

/** Removes from a member's row what identifies the person. */
export async function blankMember(tx: TenantDatabase, memberId: string | null): Promise<void> {
  // Not by `tx.update`, which would store the former values as a change by staff.
  await tx.query(
    `update members
        set email = '${erasedEmail}', email_verified_at = null, name = null, phone = null, locale = null,
            tax_number = null, tax_exempt = null,
            password_hash = null, accepts_marketing = false, marketing_changed_at = null, marketing_source = null,
            external_id = null, metadata = '{}', former_address_ids = '{}',
            deleted_at = coalesce(deleted_at, now()),
            erased_at = coalesce(erased_at, now()), updated_at = now()
      where tenant_id = $1 and id = $2`,
    [memberId],
  );
}

/** The address of a member, who may be deleted, and what is known of it. `for update` locks the member. */
export async function findIdentity(
  db: TenantDatabase,
  memberId: string,
  lock: 'for update' | '',
): Promise<{ email: string; isVerified: boolean; isErased: boolean } | null> {
  const [row] = await db.query<{ email: string; isVerified: boolean; isErased: boolean }>(
    `select email, email_verified_at is not null as is_verified, erased_at is not null as is_erased
       from members where tenant_id = $1 and id = $2 ${lock}`,
    [memberId],
  );
  return row ?? null;
}
