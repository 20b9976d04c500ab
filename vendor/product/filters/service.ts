/**
 * Pages of products that are in one or several lists, such as those of a category and those with a tag, in any order. The
 * products that are read are bounded, unless all of the lists are long and have none of the next products in common.
 */
import type { TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, idsIn, isByTime } from '../conditions-store.ts';
import { countUpTo, findNext, isAmong, type ListedPage, type ProductList } from './store.ts';

/** The condition for the products of a page. */
export async function isOnListedPage(db: TenantDatabase, page: ListedPage): Promise<Condition> {
  const { order, place, base, tested, lists } = page;
  const [first, second] = lists;
  const others = (one: ProductList | null) =>
    allOf([base, tested, ...lists.flatMap((list) => (list === one ? [] : [list.isListed]))]);
  if (!first) return allOf([others(null), after(order, place)]);
  if (!second && first.onPage && isByTime(order)) return first.onPage(db, others(first), page);
  for (const { sorted, scannedPerItem } of stages) {
    const smallest = await smallestOf(db, lists, sorted);
    if (smallest) return allOf([others(smallest), after(order, place), isAmong(smallest)]);
    const found = scannedPerItem === 0 ? null : await findNext(db, page, scannedPerItem);
    if (found) return idsIn(found);
  }
  const merged = isByTime(order) ? lists.find(({ onPage }) => onPage) : undefined;
  return merged?.onPage?.(db, others(merged), page) ?? allOf([others(null), after(order, place)]);
}

/** Products of a short list, at most. */
const maxShort = 250;
/** Products of a list that is read and sorted where the next products of the order did not fill a page, at most. */
const maxSorted = 5000;

/**
 * What is tried in turn: a list with fewer products than `sorted` is read and sorted; otherwise the next products of the
 * order are tested, `scannedPerItem` for each of the page. A list that has one of 100 products is too long to be sorted
 * soon and too short to be met soon: either way takes about a thousand.
 */
const stages = [
  { sorted: maxShort, scannedPerItem: 10 },
  { sorted: 1500, scannedPerItem: 60 },
  { sorted: maxSorted, scannedPerItem: 0 },
];

/** The list with the fewest products; null if all have at least `limit`. */
async function smallestOf(
  db: TenantDatabase,
  lists: readonly ProductList[],
  limit: number,
): Promise<ProductList | null> {
  const sizes = await Promise.all(lists.map(({ ids }) => countUpTo(db, ids, limit)));
  const least = Math.min(limit, ...sizes);
  return least < limit ? (lists[sizes.indexOf(least)] ?? null) : null;
}

/** The condition for products in all of these lists, of which one is short and read completely. */
const inShort = (lists: readonly ProductList[], short: ProductList) =>
  allOf(lists.map((list) => (list === short ? isAmong(list) : list.isListed)));

/**
 * The condition for products in all of these lists, of which one is short, so that all of its products are read; null if
 * none is.
 */
export async function isInShort(db: TenantDatabase, lists: readonly ProductList[]): Promise<Condition | null> {
  const short = await smallestOf(db, lists, maxShort);
  return short && inShort(lists, short);
}

/**
 * The same for lists of which one can be read and sorted, and is shorter than what is searched for; null if none is.
 * @param searched the products of each word
 */
export async function isInShorter(
  db: TenantDatabase,
  lists: readonly ProductList[],
  searched: readonly ProductList[],
): Promise<Condition | null> {
  const short = await smallestOf(db, [...lists, ...searched], maxSorted);
  return short && lists.includes(short) ? inShort(lists, short) : null;
}
