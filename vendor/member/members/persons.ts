/**
 * Members as personal data: export and erasure of accounts.
 */
import type { Person, PersonalData, Subject, TenantDatabase } from '@carton/runtime';

const untilErased = 'until you ask for erasure';

/** In a reserved top-level domain that never resolves (RFC 2606, section 2). */
const erasedEmail = 'erased@erased.invalid';

const values = ({ memberId, emails }: Pick<Subject, 'memberId' | 'emails'>) => [memberId, emails];

export const personalMembers: PersonalData = {
  name: 'member',
  keeps: [
    {
      table: 'members',
      columns: ['email', 'name', 'phone', 'metadata', 'external_id'],
      reason: 'To give you an account.',
      kept: untilErased,
    },
    {
      table: 'members',
      columns: ['marketing_source'],
      reason: 'To prove that you agreed to receive advertising.',
      kept: untilErased,
    },
    {
      table: 'member_words',
      columns: ['word_from'],
      reason: 'To find your account by your name or e-mail address.',
      kept: untilErased,
    },
    {
      table: 'member_addresses',
      columns: ['name', 'company', 'line1', 'line2', 'city', 'province', 'postal_code', 'phone'],
      reason: 'To fill in your addresses when you order.',
      kept: 'until you remove the address, or ask for erasure',
    },
    {
      table: 'member_sessions',
      columns: ['address', 'user_agent'],
      reason: 'To show you where you are logged in.',
      kept: 'until the session ends, after 30 days at the latest',
    },
    {
      table: 'member_tokens',
      columns: ['email', 'profile', 'session_hash'],
      reason: 'To verify your e-mail address.',
      kept: 'until you use the link, 7 days at the latest',
    },
  ],
  async find(db, { memberId }) {
    if (memberId === null) return {};
    const addresses = await db.query<{ id: string }>(
      `select id from member_addresses where tenant_id = $1 and member_id = $2
        union all
       select unnest(former_address_ids) from members where tenant_id = $1 and id = $2`,
      [memberId],
    );
    return { records: { member: [memberId], member_address: addresses.map(({ id }) => id) } };
  },
  async exportData(db, subject) {
    const [account] = await db.query(
      `select email, email_verified_at, name, phone, locale, status, accepts_marketing, marketing_changed_at,
              marketing_source, external_id, metadata, created_at, updated_at,
              (select coalesce(json_agg(json_build_object('address', address, 'userAgent', user_agent,
                                                          'createdAt', created_at) order by id), '[]')
                 from member_sessions sessions
                where sessions.tenant_id = $1 and sessions.member_id = members.id) as sessions,
              (select coalesce(json_agg(to_jsonb(addresses) - '{tenant_id,member_id}'::text[] order by id), '[]')
                 from member_addresses addresses
                where addresses.tenant_id = $1 and addresses.member_id = members.id) as addresses
         from members where tenant_id = $1 and id = $2 and erased_at is null`,
      [subject.memberId],
    );
    const requests = await db.query(
      `select email, purpose, profile, created_at from member_tokens
        where tenant_id = $1 and token_hash is null and (member_id = $2 or email = any($3::text[])) order by id`,
      values(subject),
    );
    return account || requests.length > 0 ? { ...account, requests } : null;
  },
  async erase(tx, subject) {
    await tx.query(
      'delete from member_tokens where tenant_id = $1 and (member_id = $2 or email = any($3::text[]))',
      values(subject),
    );
    const own = [subject.memberId];
    for (const table of ['member_sessions', 'member_addresses', 'member_words']) {
      await tx.query(`delete from ${table} where tenant_id = $1 and member_id = $2`, own);
    }
    // Not by `tx.update`, which would store the former values as a change by staff.
    await tx.query(
      `update members
          set email = '${erasedEmail}', email_verified_at = null, name = null, phone = null, locale = null,
              password_hash = null, accepts_marketing = false, marketing_changed_at = null, marketing_source = null,
              external_id = null, metadata = '{}', former_address_ids = '{}',
              deleted_at = coalesce(deleted_at, now()),
              erased_at = coalesce(erased_at, now()), updated_at = now()
        where tenant_id = $1 and id = $2`,
      own,
    );
  },
};

/**
 * A member as a person with rights; the member may be deleted. Null for an unknown id.
 * @param lock locks the member until the transaction ends
 */
export async function findPerson(
  db: TenantDatabase,
  memberId: string,
  lock: 'for update' | '' = '',
): Promise<(Person & { isErased: boolean }) | null> {
  const [row] = await db.query<{ email: string; isVerified: boolean; isErased: boolean }>(
    `select email, email_verified_at is not null as is_verified, erased_at is not null as is_erased
       from members where tenant_id = $1 and id = $2 ${lock}`,
    [memberId],
  );
  return row ? { memberId, emails: row.isVerified ? [row.email] : [], isErased: row.isErased } : null;
}
