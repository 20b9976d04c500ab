/**
 * Pages of products that are in one or several lists, such as those of a category and those with a tag, in any order. The
 * products that are read are bounded, unless all of the lists are long and have none of the next products in common.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, equals, idsIn, isByTime, type Order, orderBy } from '../conditions-store.ts';

export interface FilteredPage {
  order: Order;
  /** The cursor's position: the value of the order's column and the id; null for the first page. */
  place: readonly unknown[] | null;
  /** One more than the items of the page. */
  limit: number;
}

/** Products that a filter lists. */
export interface ProductList {
  /** True for the row `products` if it is listed. */
  readonly isListed: Condition;
  /** The ids of its products, with repetitions: a query that returns `product_id`, in no order. */
  readonly ids: Condition;
  /**
   * The condition for a page by time, if an index holds the list in that order.
   * @param others all other conditions of the page, without the cursor's
   */
  onPage?(db: TenantDatabase, others: Condition, page: FilteredPage): Promise<Condition>;
}

/** A page of products that are in all of some lists. */
export interface ListedPage extends FilteredPage {
  /** The conditions that the index of the order serves. */
  base: Condition;
  /** All other conditions, which are tested for each product; without the cursor's. */
  tested: Condition;
  lists: readonly ProductList[];
}

/** The products whose columns have these values, for which there are indexes; null without a value. */
export function listOfColumns(columns: Readonly<Record<string, unknown>>): ProductList | null {
  const conditions = Object.entries(columns).flatMap(([column, value]) =>
    value === undefined ? [] : [equals(column, value)],
  );
  if (conditions.length === 0) return null;
  const isListed = allOf(conditions);
  const sql = (at: number) =>
    `select id as product_id from products where tenant_id = $1 and deleted_at is null and ${isListed.sql(at)}`;
  return { isListed, ids: { key: `ids of ${isListed.key}`, values: isListed.values, sql } };
}

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

/**
 * What is tried in turn: a list with fewer products than `sorted` is read and sorted; otherwise the next products of the
 * order are tested, `scannedPerItem` for each of the page. A list that has one of 100 products is too long to be sorted
 * soon and too short to be met soon: either way takes about a thousand.
 */
const stages = [
  { sorted: maxShort, scannedPerItem: 10 },
  { sorted: 1500, scannedPerItem: 60 },
  { sorted: 5000, scannedPerItem: 0 },
];

/**
 * The products of the page, if they are among the next ones of the order; null if they are not.
 * @param scannedPerItem products that are tested for each of the page
 */
async function findNext(
  db: TenantDatabase,
  { order, place, limit, base, tested, lists }: ListedPage,
  scannedPerItem: number,
): Promise<string[] | null> {
  const scanned = allOf([order.joined, base, after(order, place)]);
  const wanted = allOf([tested, ...lists.map(({ isListed }) => isListed)]);
  const steps = scannedPerItem * limit;
  // The constant inner limit is explained at pageStatement (documents.ts).
  const rows = await db.query<{ id: string | null; steps: number | null }>(
    `with scanned as materialized (
       select * from (
         select products.* from ${order.from}
          where products.tenant_id = $1 and ${scanned.sql(4)}
          ${orderBy(order)} limit ${scannedPerItem * (maxPageSize + 1)}) page
        limit $2)
     select id, null::int as steps
       from (select id from scanned products where ${wanted.sql(4 + scanned.values.length)} limit $3) found
     union all
     select null, count(*)::int from scanned`,
    [steps, limit, ...scanned.values, ...wanted.values],
  );
  const ids = rows.flatMap(({ id }) => id ?? []);
  const isComplete = rows.some((row) => row.steps !== null && row.steps < steps);
  return isComplete || ids.length === limit ? ids : null;
}

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

/**
 * The condition for products in all of these lists, of which one is short, so that all of its products are read; null if
 * none is.
 */
export async function isInShort(db: TenantDatabase, lists: readonly ProductList[]): Promise<Condition | null> {
  const short = await smallestOf(db, lists, maxShort);
  return short && allOf(lists.map((list) => (list === short ? isAmong(list) : list.isListed)));
}

async function countUpTo(db: TenantDatabase, { sql, values }: Condition, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (${sql(2)} limit ${limit}) listed`,
    values,
  );
  return row?.count ?? 0;
}

/** True for the products of a short list, which are read before they are sorted. */
function isAmong({ ids }: ProductList): Condition {
  return { key: `among ${ids.key}`, values: ids.values, sql: (at) => `id = any(array(${ids.sql(at)}))` };
}
