/**
 * Members as personal data: export and erasure of accounts.
 */
import type { Person, PersonalData, TenantDatabase } from '@carton/runtime';
import {
  blankMember,
  findIdentity,
  listAddressIds,
  listRequests,
  readAccount,
  removeLinksOf,
  removeRowsOf,
} from './person-store.ts';

const untilErased = 'until you ask for erasure';

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
      columns: ['tax_number'],
      reason: 'To fill in the tax number of your business when you order.',
      kept: untilErased,
    },
    {
      table: 'members',
      columns: ['tax_exempt'],
      reason: 'To prove that you buy without tax.',
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
    return { records: { member: [memberId], member_address: await listAddressIds(db, memberId) } };
  },
  async exportData(db, subject) {
    const account = await readAccount(db, subject.memberId);
    const requests = await listRequests(db, subject);
    return account || requests.length > 0 ? { ...account, requests } : null;
  },
  async erase(tx, subject) {
    await removeLinksOf(tx, subject);
    await removeRowsOf(tx, subject.memberId);
    await blankMember(tx, subject.memberId);
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
  const row = await findIdentity(db, memberId, lock);
  return row ? { memberId, emails: row.isVerified ? [row.email] : [], isErased: row.isErased } : null;
}
