/**
 * The texts that staff find an order by: its number and the customer's name from the beginning of each of their words,
 * and the beginning of the e-mail address. `like` is not leakproof, so under row-level security it cannot use an index;
 * a range of stored words can.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Characters stored of a word, and the most that can be searched for. */
export const maxWordLength = 100;

/** Characters that begin no word, in the syntax of PostgreSQL's regular expressions; after them, a word begins. */
const separators = [
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf',
  '\\u2000-\\u206f\\u3000-\\u3004',
].join('');
/** Characters of scripts that are written without spaces: each begins a word. */
const ideographs = '\\u2e80-\\u2fff\\u3005-\\ua4cf\\uac00-\\ud7ff\\uf900-\\ufaff';

/** A statement that selects the words of an order, from SQL expressions of its texts. */
export function wordsText(texts: { number: string; email: string; name: string }): string {
  return `
    select left(lower(${texts.email}), ${maxWordLength}) as word_from
     union
    select left(substr(key, place), ${maxWordLength})
      from (values (lower(${texts.number})), (lower(${texts.name}))) as texts (key)
     cross join lateral generate_series(1, length(key)) as place
     where substr(key, place, 1) !~ '[${separators}]'
       and substr(' ' || key, place, 2) ~ '[${separators}${ideographs}]'`;
}

const removeWords = 'delete from order_words where tenant_id = $1 and order_id = any($2::uuid[])';
const writeWords = `
  insert into order_words (tenant_id, order_id, word_from)
  select orders.tenant_id, orders.id, words.word_from
    from orders
   cross join lateral (${wordsText({ number: 'orders.number', email: 'orders.email', name: 'orders.customer_name' })}) words
   where orders.tenant_id = $1 and orders.id = any($2::uuid[])`;

/** Rewrites the words of orders, in the transaction that has changed their e-mail address or name. */
export async function rewriteWords(tx: TenantDatabase, orderIds: readonly string[]): Promise<void> {
  await tx.query(removeWords, [orderIds]);
  await tx.query(writeWords, [orderIds]);
}

/** A condition on `word_from`, with two placeholders `?` for the text: the word begins with it, ignoring case. */
export const beginsWith = `word_from >= lower(?) and word_from <= lower(?) || repeat(chr(1114111), ${maxWordLength})`;

/** The text as it is compared: without the spaces and signs before it, as in `#1001`. */
export function searchText(q: string): string {
  return q.trim().replace(/^[#\s]+/, '');
}
