/**
 * Title search. A table holds each title from the beginning of each of its words, so that a search is a range of an
 * index, however many products there are. `like` is not leakproof, so under row-level security it cannot use an index.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { allOf, type Condition, idsIn, type Order, orderBy } from '../conditions-store.ts';
import { isInShort, type ProductList } from '../filters/service.ts';
import type { ProductStatus } from '../schemas.ts';
import {
  addWords,
  indexedLength,
  type SearchedTexts,
  searchedTexts,
  type Term,
  termsOf,
  wordsOfTexts,
} from './words.ts';

/**
 * Characters that belong to no word, in the syntax of PostgreSQL's regular expressions: each begins a word of its own,
 * and the character after it begins one too.
 */
const separators = [
  // Control characters, spaces, punctuation and symbols of ASCII and Latin-1.
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7',
  // Punctuation of Greek, Armenian, Hebrew and Arabic.
  '\\u037e\\u0387\\u055a-\\u055f\\u0589\\u058a\\u05be\\u05c0\\u05c3\\u05f3\\u05f4\\u060c\\u061b-\\u061f\\u066a-\\u066d\\u06d4',
  // Of the scripts of India and Ethiopia, Ogham and Mongolian; Thai, Lao, Tibetan, Burmese, Hangul, Khmer, Tai, Balinese.
  '\\u0964\\u0965\\u0e00-\\u109f\\u1100-\\u11ff\\u1360-\\u1368\\u1680\\u1780-\\u180e\\u1950-\\u1aaf\\u1b00-\\u1b7f',
  // Punctuation and symbols of all scripts; Han, Kana, Yi, Hangul, Javanese; compatibility and full-width forms.
  '\\u2000-\\u2bff\\u2e00-\\ua4cf\\ua960-\\ua97f\\ua980-\\ua9ff\\uaa60-\\uaadf\\uac00-\\ufaff\\ufe10-\\ufe6f\\uff00-\\uffff',
  // Emoji, rarer Han, music.
  '\\U00010000-\\U0010ffff',
].join('');

/** No word begins with these: the spaces that `String.prototype.trimStart` removes. */
const spaces = '\\u0009-\\u000d\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

const removeWords = 'delete from product_title_words where tenant_id = $1 and product_id = $2';
const writeWords = `
  insert into product_title_words (tenant_id, product_id, status, word_from)
  select distinct tenant_id, id, status, left(substr(title_key, place), ${indexedLength})
    from products
   cross join lateral generate_series(1, length(title_key)) as place
   where tenant_id = $1 and id = $2 and deleted_at is null
     and substr(title_key, place, 1) !~ '[${spaces}]' and substr(' ' || title_key, place, 2) ~ '[${separators}]'`;

/** Writes the words of a new product, which has no variants yet. */
export async function writeTitleWords(db: TenantDatabase, { id, title }: { id: string; title: string }): Promise<void> {
  await db.query(writeWords, [id]);
  await addWords(db, id, wordsOfTexts({ title, skus: [] }));
}

/**
 * Rewrites the words of a product, in the transaction that changed its title, its status or its SKUs; a deleted one has
 * none.
 */
export async function rewriteTitleWords(db: TenantDatabase, productId: string): Promise<void> {
  const read = `select ${searchedTexts} from products where tenant_id = $1 and id = $2 and deleted_at is null`;
  const [, , [product]] = await Promise.all([
    db.query(removeWords, [productId]),
    db.query(writeWords, [productId]),
    db.query<SearchedTexts>(read, [productId]),
  ]);
  if (product) await addWords(db, productId, wordsOfTexts(product));
}

/** Matching words counted at most. If more words match, the next products of the list are found soon by scanning it. */
const maxWords = 500;

/**
 * Products scanned at most for each item of a page: the scan ends with the page. If they hold too few matches, matches are
 * rare in this part of the list; reading all of them is then not much slower than the scan was.
 */
const scannedPerItem = 80;
/** Sizes of pages for which a scan is planned: a longer one may be planned in another way, which is slow for few items. */
const plannedSizes = [20, maxPageSize];
/** Additional matches, in case some are deleted before the page is read. */
const extraMatches = 4;

/** Words that begin with the text: from `key` up to `key` followed by as many of the last character as possible. */
function beginsWith(text: string): string {
  const key = `left(lower(${text}), ${indexedLength})`;
  return `word_from >= ${key} and word_from <= ${key} || repeat(chr(1114111), ${indexedLength})`;
}

/** Terms with the numbers of their parameters: each form is one. */
interface NumberedTerm extends Term {
  parameters: string[];
}

function numbered(terms: readonly Term[], at: number): NumberedTerm[] {
  let next = at;
  return terms.map((term) => ({ ...term, parameters: term.forms.map(() => `$${next++}`) }));
}

const valuesOf = (terms: readonly Term[]) => terms.flatMap(({ forms }) => forms);
/** Whether the index holds only the beginning of the term. */
const isCut = ({ forms }: Term) => Array.from(forms[0] ?? '').length > indexedLength;
/** Equal for terms whose conditions have the same SQL text. */
const shapeOf = (terms: readonly Term[]) => terms.map((term) => `${term.forms.length}${isCut(term) ? 'c' : ''}`).join();

/** True for the row `products` if its words have the term, tested product by product, as a subquery with a limit is. */
function hasTerm(term: NumberedTerm): string {
  const { parameters } = term;
  const found = `(
    select true from product_title_words
     where tenant_id = $1 and product_id = products.id and (${parameters.map(beginsWith).join(' or ')}) limit 1)`;
  return isCut(term) ? `${found} and ${hasCompletely(parameters[0] as string)}` : found;
}

/** The complete text is compared too where it is longer than what the index holds. */
function hasCompletely(text: string): string {
  return `(strpos(title_key, lower(${text})) > 0 or exists (
    select from product_variants variants
     where variants.tenant_id = $1 and variants.product_id = products.id and variants.deleted_at is null
       and starts_with(lower(variants.sku), lower(${text}))))`;
}

/** True for the row `products` if its words have all terms. */
function titled(terms: readonly Term[]): Condition {
  return {
    key: `titled ${shapeOf(terms)}`,
    values: valuesOf(terms),
    sql: (at) => numbered(terms, at).map(hasTerm).join(' and ') || 'true',
  };
}

/** Matching words in all forms of a term: each form is a range of the index. */
function wordsOf({ parameters }: NumberedTerm, statuses: string, limit = ''): string {
  return parameters
    .map(
      (text) => `
        (select product_id from product_title_words
          where tenant_id = $1 and status = any(${statuses}) and ${beginsWith(text)} ${limit})`,
    )
    .join(' union all ');
}

/**
 * Counts the matching words of each term; if all of them have many, scans the list for its first matches. The rows: the
 * counts of words; the ids of the matches, as far as the scan goes; then one without either if the list ended before the
 * scan's limit.
 */
function searchStatement(
  terms: readonly Term[],
  listed: Condition,
  tested: Condition,
  order: Order,
  limit: number,
): string {
  const first = 4;
  const all = titled(terms);
  const ofList = first + all.values.length;
  const ofTested = ofList + listed.values.length;
  const statuses = `$${ofTested + tested.values.length}`;
  const plannedSize = plannedSizes.find((size) => size >= limit) ?? maxPageSize;
  const counts = numbered(terms, first).map(
    (term) => `(
      select count(*)::int from (${wordsOf(term, statuses, `limit ${maxWords}`)} limit ${maxWords}) found)`,
  );
  // The constant inner limit is explained at pageStatement (documents.ts).
  const scan = `
    select * from (
      select products.* from ${order.from}
       where products.tenant_id = $1 and ${listed.sql(ofList)}
       ${orderBy(order)} limit ${scannedPerItem * (plannedSize + 1)}) listed
     limit $2`;
  return `
    with words as materialized (select array[${counts.join()}] as counts)
    select counts, null::uuid as id from words
    union all
    select null, id from (${scan}) products
     where (select ${maxWords} = all (counts) from words) and ${all.sql(first)} and ${tested.sql(ofTested)}
    union all
    select null, null from (select count(*) as steps from (${scan}) scanned) counted
     where (select ${maxWords} = all (counts) from words) and steps < $2
    limit $3`;
}

/** The list that is searched. */
export interface SearchedList {
  /** Statuses of its products. */
  statuses: readonly ProductStatus[];
  /** The other conditions of the page. */
  conditions: readonly Condition[];
  /** Lists that the products must be in, too. */
  lists: readonly ProductList[];
  order: Order;
  /** Items per page. */
  limit: number;
}

/**
 * The condition for products of a page in whose title or SKUs words begin with each word of a text, without regard to
 * case, accents and apostrophes, and which are in the lists.
 * @param text not empty, without leading spaces
 *
 * The rows read are bounded for any text, except one whose every word begins many words while its products are rare where
 * the page begins: then all words that they begin are read.
 */
export async function titleSearch(
  db: TenantDatabase,
  text: string,
  { statuses, conditions, lists, order, limit }: SearchedList,
): Promise<Condition> {
  const terms = termsOf(text);
  const inLists = allOf(lists.map(({ isListed }) => isListed));
  const isShort = lists.length > 0 ? await isInShort(db, lists) : null;
  if (isShort) return allOf([isShort, titled(terms)]);
  const listed = allOf(conditions);
  const [words, ...found] = await db.query<{ counts: number[] | null; id: string | null }>(
    searchStatement(terms, listed, inLists, order, limit),
    [
      ...[scannedPerItem * (limit + 1), 1 + limit + 1 + extraMatches, ...valuesOf(terms)],
      ...[...listed.values, ...inLists.values, statuses],
    ],
  );
  const counts = words?.counts ?? [];
  const fewest = Math.min(...counts);
  if (fewest === maxWords) {
    const ids = found.flatMap(({ id }) => id ?? []);
    const isComplete = found.length > ids.length;
    if (isComplete || ids.length > limit) return idsIn(ids);
  }
  // A few words are looked up one by one; sets of many are compared as a whole.
  const looked = fewest < maxWords ? [terms[counts.indexOf(fewest)] as Term] : terms;
  const hasWords: Condition = {
    key: `words ${shapeOf(looked)}`,
    values: [...valuesOf(looked), statuses],
    sql(at) {
      const sets = numbered(looked, at).map((term) => `(${wordsOf(term, `$${at + valuesOf(looked).length}`)})`);
      return `id = any(array(${sets.join(' intersect ')}))`;
    },
  };
  return allOf([hasWords, titled(terms.filter((term) => !looked.includes(term) || isCut(term))), inLists]);
}

/**
 * What is searched for: without leading spaces and control characters, one of which marks SKUs in the index; undefined if
 * nothing is left.
 */
export function searchedText(q: string | undefined): string | undefined {
  return q?.replaceAll(/(?!\s)\p{Cc}/gu, '').trimStart() || undefined;
}
