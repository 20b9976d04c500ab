/**
 * Lists of members for staff.
 */
import { decodeCursor, encodeCursor, type IntegrationPage, parseEmail, type TenantDatabase } from '@carton/runtime';
import { type MemberRow, members } from '../store.ts';
import type { MemberQuery } from './schemas.ts';
import { findByWords } from './search-store.ts';

const nilId = '00000000-0000-0000-0000-000000000000';
const order = 'words';

type Filters = Omit<MemberQuery, 'limit' | 'cursor' | 'q' | 'updatedAfter'>;

/** A page of members: newest first, or with `q` in the order of the words that match. */
export async function pageOfMembers(db: TenantDatabase, query: MemberQuery): Promise<IntegrationPage<MemberRow>> {
  const { q, limit, cursor, updatedAfter, ...filters } = query;
  const email = filters.email?.toLowerCase();
  if (q === undefined || updatedAfter !== undefined) return members.page(db, { ...query, email });
  const [, word = '', id = nilId] = cursor === undefined ? [] : decodeCursor(cursor, order);
  const text = parseEmail(q) ?? q.trim();
  const found = await findByWords(db, text, { word: String(word), id: String(id), most: limit + 1 });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const ids = page.map(({ memberId }) => memberId);
  const items = (await members.findInOrder(db, ids)).filter((member) => matches(member, { ...filters, email }));
  return {
    items,
    nextCursor: found.length > limit && last ? encodeCursor([order, last.wordFrom, last.memberId]) : null,
  };
}

/** Whether a member that was found by its words meets the other filters. */
function matches(member: MemberRow, { createdFrom, createdTo, ...equal }: Filters): boolean {
  const created = Date.parse(member.createdAt);
  return (
    Object.entries(equal).every(([name, value]) => value === undefined || member[name as keyof MemberRow] === value) &&
    (createdFrom === undefined || created >= Date.parse(createdFrom)) &&
    (createdTo === undefined || created < Date.parse(createdTo))
  );
}
