/**
 * Lists of members for staff, and the words that members are found by.
 */
import {
  decodeCursor,
  encodeCursor,
  type IntegrationPage,
  parseEmail,
  searchedForm,
  selectWords,
  type TenantDatabase,
  wordBeginsWith,
} from '@carton/runtime';
import type { MemberQuery } from '../schemas.ts';
import { type MemberRow, members } from '../store.ts';

const writeWords = `
  insert into member_words (tenant_id, member_id, word_from)
  select members.tenant_id, members.id, words.word_from
    from members
   cross join lateral (${selectWords({ entire: ['members.email'], texts: ['members.name'] })}) words
   where members.tenant_id = $1 and members.id = $2 and members.deleted_at is null`;

/** Rewrites the words of a member, in the transaction that has changed name or address; a deleted one has none. */
export async function rewriteWords(tx: TenantDatabase, memberId: string): Promise<void> {
  await tx.query('delete from member_words where tenant_id = $1 and member_id = $2', [memberId]);
  await tx.query(writeWords, [memberId]);
}

/** A member is found by the first of its words that match. */
const findWords = `
  select member_id, word_from from member_words
   where tenant_id = $1 and ${wordBeginsWith('$2')} and (word_from, member_id) > ($3, $4::uuid)
     and not exists (select from member_words earlier
                      where earlier.tenant_id = $1 and earlier.member_id = member_words.member_id
                        and earlier.word_from >= lower($2) and earlier.word_from < member_words.word_from)
   order by word_from, member_id limit $5`;
const nilId = '00000000-0000-0000-0000-000000000000';
const order = 'words';

type Found = { memberId: string; wordFrom: string };
type Filters = Omit<MemberQuery, 'limit' | 'cursor' | 'q' | 'updatedAfter'>;

/** A page of members: newest first, or with `q` in the order of the words that match. */
export async function pageOfMembers(db: TenantDatabase, query: MemberQuery): Promise<IntegrationPage<MemberRow>> {
  const { q, limit, cursor, updatedAfter, ...filters } = query;
  const email = filters.email?.toLowerCase();
  if (q === undefined || updatedAfter !== undefined) return members.page(db, { ...query, email });
  const [, word = '', id = nilId] = cursor === undefined ? [] : decodeCursor(cursor, order);
  const text = await searchedForm(db, 'member_words', parseEmail(q) ?? q.trim());
  const found = await db.query<Found>(findWords, [text, String(word), id, limit + 1]);
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
