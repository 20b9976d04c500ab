/**
 * Products that are listed somewhere, as conditions over `products`, and the statements that find them.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { after, allOf, always, type Condition, equals, type Order, orderBy } from '../conditions-store.ts';

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

/**
 * A list whose condition the page has already. Twice, the planner would take it for two, expect next to no products, and
 * choose an index without the order.
 */
export function listedBefore(list: ProductList): ProductList {
  return { ...list, isListed: always };
}

/** Tested product by product, because a subquery with a limit is, while `exists` may read all entries first. */
export function isListedIn(table: string, condition: string): string {
  return `(select true from ${table} listed where ${condition} and listed.product_id = products.id limit 1)`;
}

/** True for the products of a short list, which are read before they are sorted. */
export function isAmong({ ids }: ProductList): Condition {
  return { key: `among ${ids.key}`, values: ids.values, sql: (at) => `id = any(array(${ids.sql(at)}))` };
}

/** The number of products of a list, with repetitions, at most `limit`. */
export async function countUpTo(db: TenantDatabase, { sql, values }: Condition, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (${sql(2)} limit ${limit}) listed`,
    values,
  );
  return row?.count ?? 0;
}

/**
 * The products of the page, if they are among the next ones of the order; null if they are not.
 * @param scannedPerItem products that are tested for each of the page
 */
export async function findNext(
  db: TenantDatabase,
  { order, place, limit, base, tested, lists }: ListedPage,
  scannedPerItem: number,
): Promise<string[] | null> {
  const scanned = allOf([order.joined, base, after(order, place)]);
  const wanted = allOf([tested, ...lists.map(({ isListed }) => isListed)]);
  const steps = scannedPerItem * limit;
  // The constant inner limit is explained at pageStatement (`lists/store.ts`).
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
