/**
 * Lists of members for staff.
 */
import { type IntegrationPage, parseEmail, type TenantDatabase } from '@carton/runtime';
import { type MemberRow, members } from '../store.ts';
import type { MemberQuery } from './schemas.ts';

/** A page of members: newest first, or with `q` in the order of the words that match. */
export function pageOfMembers(db: TenantDatabase, query: MemberQuery): Promise<IntegrationPage<MemberRow>> {
  const { q, email } = query;
  const text = q === undefined ? undefined : (parseEmail(q) ?? q);
  return members.page(db, { ...query, q: text, email: email?.toLowerCase() });
}
