/**
 * Statements and conditions that find products by their words.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { type Condition, type Order, orderBy } from '../conditions-store.ts';
import type { ProductList } from '../filters/store.ts';
import type { ProductStatus } from '../schemas.ts';
import { indexedLength, type Term } from './words.ts';

/** Matching words counted at most. If more words match, the next products of the list are found soon by scanning it. */
export const maxWords = 500;

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
export const isCut = ({ forms }: Term) => Array.from(forms[0] ?? '').length > indexedLength;
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
export function titled(terms: readonly Term[]): Condition {
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

/** True for products whose words of these statuses have all terms, compared as sets. */
export function hasWords(terms: readonly Term[], statuses: readonly ProductStatus[]): Condition {
  return {
    key: `words ${shapeOf(terms)}`,
    values: [...valuesOf(terms), statuses],
    sql(at) {
      const sets = numbered(terms, at).map((term) => `(${wordsOf(term, `$${at + valuesOf(terms).length}`)})`);
      return `id = any(array(${sets.join(' intersect ')}))`;
    },
  };
}

/** The products whose words of these statuses have a term, as a list. */
export function listOfTerm(term: Term, statuses: readonly ProductStatus[]): ProductList {
  const sql = (at: number) => wordsOf(numbered([term], at)[0] as NumberedTerm, `$${at + term.forms.length}`);
  return {
    isListed: titled([term]),
    ids: { key: `ids of words ${shapeOf([term])}`, values: [...term.forms, statuses], sql },
  };
}

/** Where terms are searched. */
interface SearchedPage {
  /** The conditions of the scan. */
  listed: Condition;
  /** Further conditions of the matches. */
  tested: Condition;
  statuses: readonly ProductStatus[];
  order: Order;
  /** Items per page. */
  limit: number;
}

interface Matches {
  /** Of each term: how many words match it, at most `maxWords`. */
  counts: number[];
  /** If all terms match `maxWords` words: the first products of the list that match, as far as the scan goes. */
  ids: string[];
  /** Whether the list ended before the scan's limit, so that there are no others. */
  isComplete: boolean;
}

/** Counts the matching words of each term; if all of them have many, scans the list for its first matches. */
export async function findMatches(db: TenantDatabase, terms: readonly Term[], page: SearchedPage): Promise<Matches> {
  const { listed, tested, statuses, limit } = page;
  const [words, ...found] = await db.query<{ counts: number[] | null; id: string | null }>(
    searchStatement(terms, page),
    [
      ...[scannedPerItem * (limit + 1), 1 + limit + 1 + extraMatches, ...valuesOf(terms)],
      ...[...listed.values, ...tested.values, statuses],
    ],
  );
  const ids = found.flatMap(({ id }) => id ?? []);
  return { counts: words?.counts ?? [], ids, isComplete: found.length > ids.length };
}

/**
 * The rows: the counts of words; the ids of the matches, as far as the scan goes; then one without either if the list
 * ended before the scan's limit.
 */
function searchStatement(terms: readonly Term[], { listed, tested, order, limit }: SearchedPage): string {
  const first = 4;
  const all = titled(terms);
  const ofList = first + all.values.length;
  const ofTested = ofList + listed.values.length;
  const ofStatuses = `$${ofTested + tested.values.length}`;
  const plannedSize = plannedSizes.find((size) => size >= limit) ?? maxPageSize;
  const counts = numbered(terms, first).map(
    (term) => `(
      select count(*)::int from (${wordsOf(term, ofStatuses, `limit ${maxWords}`)} limit ${maxWords}) found)`,
  );
  // The constant inner limit is explained at pageStatement (`lists/store.ts`).
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
