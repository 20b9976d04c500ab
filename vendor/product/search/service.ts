/**
 * Title search: products are found by the words of their titles and SKUs.
 */
import type { TenantDatabase } from '@carton/runtime';
import { allOf, type Condition, idsIn, type Order } from '../conditions-store.ts';
import { isInShort, isInShorter } from '../filters/service.ts';
import type { ProductList } from '../filters/store.ts';
import type { ProductStatus } from '../schemas.ts';
import { findMatches, hasWords, isCut, listOfTerm, maxWords, titled } from './matches-store.ts';
import { addWords, findSearchedTexts, insertTitleWords, removeWords } from './store.ts';
import { type Term, termsOf, wordsOfTexts } from './words.ts';

/** Writes the words of a new product, which has no variants yet. */
export async function writeTitleWords(db: TenantDatabase, { id, title }: { id: string; title: string }): Promise<void> {
  await insertTitleWords(db, id);
  await addWords(db, id, wordsOfTexts({ title, skus: [] }));
}

/**
 * Rewrites the words of a product, in the transaction that changed its title, its status or its SKUs; a deleted one has
 * none.
 */
export async function rewriteTitleWords(db: TenantDatabase, productId: string): Promise<void> {
  const [, , product] = await Promise.all([
    removeWords(db, productId),
    insertTitleWords(db, productId),
    findSearchedTexts(db, productId),
  ]);
  if (product) await addWords(db, productId, wordsOfTexts(product));
}

/** The list that is searched. */
interface SearchedList {
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
 * the page begins: then all words that they begin are read, or all products of a list that has fewer.
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
  const found = await findMatches(db, terms, { listed: allOf(conditions), tested: inLists, statuses, order, limit });
  const fewest = Math.min(...found.counts);
  if (fewest === maxWords && (found.isComplete || found.ids.length > limit)) return idsIn(found.ids);
  if (fewest === maxWords && lists.length > 0) {
    const words = terms.map((term) => listOfTerm(term, statuses));
    const isShorter = await isInShorter(db, lists, words);
    if (isShorter) return allOf([isShorter, titled(terms)]);
  }
  // A few words are looked up one by one; sets of many are compared as a whole.
  const looked = fewest < maxWords ? [terms[found.counts.indexOf(fewest)] as Term] : terms;
  const others = terms.filter((term) => !looked.includes(term) || isCut(term));
  return allOf([hasWords(looked, statuses), titled(others), inLists]);
}

/**
 * What is searched for: without leading spaces and control characters, one of which marks SKUs in the index; undefined if
 * nothing is left.
 */
export function searchedText(q: string | undefined): string | undefined {
  return q?.replaceAll(/(?!\s)\p{Cc}/gu, '').trimStart() || undefined;
}
