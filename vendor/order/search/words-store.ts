/**
 * The texts that staff find an order by: its number and the customer's name from the beginning of each of their words,
 * and the beginning of the e-mail address.
 */
import {
  maxWordLength,
  parseEmail,
  plainWords,
  searchedForm,
  selectWords,
  type TenantDatabase,
  wordBeginsWith,
} from '@carton/runtime';

/** The texts of an order in which words are found, or SQL expressions of them. */
interface SearchedTexts {
  number: string;
  email: string;
  name: string;
}

/** A statement that selects the words of an order. */
export function wordsText({ number, email, name }: SearchedTexts): string {
  return selectWords({ entire: [email], texts: [number, name] });
}

/** The words that this statement selects; null if only the database can tell them. */
export function plainWordsOf({ number, email, name }: SearchedTexts): string[] | null {
  return plainWords({ entire: [email], texts: [number, name] });
}

const removeWords = 'delete from order_words where tenant_id = $1 and order_id = any($2::uuid[])';
const writeWords = `
  insert into order_words (tenant_id, order_id, word_from, created_at)
  select orders.tenant_id, orders.id, words.word_from, orders.created_at
    from orders
   cross join lateral (${wordsText({ number: 'orders.number', email: 'orders.email', name: 'orders.customer_name' })}) words
   where orders.tenant_id = $1 and orders.id = any($2::uuid[])`;

/** Rewrites the words of orders, in the transaction that has changed their e-mail address or name. */
export async function rewriteWords(tx: TenantDatabase, orderIds: readonly string[]): Promise<void> {
  await tx.query(removeWords, [orderIds]);
  await tx.query(writeWords, [orderIds]);
}

/** A condition on `word_from`, with two placeholders `?` for the text: the word begins with it, ignoring case. */
export const beginsWith = wordBeginsWith('?');

/** The same condition on `word`, which ends before the next separator: for a text without separators. */
export const wordBeginning = beginsWith.replaceAll('word_from', 'word');

/** The second half of that condition: the word is not after those that begin with the text. */
export const wordNotAfter = `word <= lower(?) || repeat(chr(1114111), ${maxWordLength})`;

/** The text as it is compared: an e-mail address as it is stored, others without the spaces and signs before them (`#1001`). */
export async function searchText(db: TenantDatabase, q: string): Promise<string> {
  return searchedForm(db, 'order_words', parseEmail(q) ?? q.trim().replace(/^[#\s]+/, ''));
}

/**
 * The numbers of orders that are the same but for case; the one that is written exactly so comes first. Read by the index
 * of the words of orders, where each number is in small letters.
 */
export async function numbersLike(db: TenantDatabase, number: string): Promise<string[]> {
  const found = await db.query<{ number: string }>(
    `select number from orders
      where tenant_id = $1 and lower(number) = lower($2)
        and id = any(array(select order_id from order_words
                            where tenant_id = $1 and word_from = left(lower($2), ${maxWordLength}) limit 100))
      order by number <> $2, created_at desc, id limit 10`,
    [number],
  );
  return found.map((row) => row.number);
}
