/**
 * The query that finds members by their words (`member_words`).
 */
import { searchedForm, type TenantDatabase, wordBeginsWith } from '@carton/runtime';

/** A member is found by the first of its words that match. */
const findWords = `
  select member_id, word_from from member_words
   where tenant_id = $1 and ${wordBeginsWith('$2')} and (word_from, member_id) > ($3, $4::uuid)
     and not exists (select from member_words earlier
                      where earlier.tenant_id = $1 and earlier.member_id = member_words.member_id
                        and earlier.word_from >= lower($2) and earlier.word_from < member_words.word_from)
   order by word_from, member_id limit $5`;

/**
 * Members with a word that begins like a text, in the order of their first such words.
 * @param word the word at which the list before ended; empty for the first
 * @param id the member at whom it ended, with the same word
 */
export async function findByWords(
  db: TenantDatabase,
  text: string,
  { word, id, most }: { word: string; id: string; most: number },
): Promise<{ memberId: string; wordFrom: string }[]> {
  return db.query(findWords, [await searchedForm(db, 'member_words', text), word, id, most]);
}
