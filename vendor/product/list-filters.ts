/**
 * Filters of `GET /products` by lists of products that other packages store, such as categories.
 */
import { extensionPoint, type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import { after, allOf, type Condition, type Order, published } from './conditions.ts';

/** A filter by the lists in which products are. */
export interface ProductListFilter {
  /** The query parameter: `category`. */
  readonly name: string;
  /** Its schema; the value is a string. */
  readonly schema: TSchema;
  /**
   * The table with a row for each product of a list: `product_id`, and `product_created_at`, which equals the product's
   * `created_at`. It has no other column of `products`, and the indexes `(tenant_id, <column>, product_created_at,
   * product_id)` and `(tenant_id, product_id, <column>)`.
   */
  readonly table: string;
  /** Its column with the id of the list. */
  readonly column: string;
  /** The type of the column. Default: uuid. */
  readonly type?: 'uuid' | 'text';
  /** The lists that a value names. A product in several of them is listed once; without lists nothing is listed. */
  findLists(db: TenantDatabase, value: string): Promise<readonly string[]>;
}

export const productListFilters = extensionPoint<ProductListFilter>('product.list-filters');

/** The query parameters of the filters of a box. */
export function filterParameters(filters: readonly ProductListFilter[]): Record<string, TSchema> {
  return Object.fromEntries(filters.map(({ name, schema }) => [name, Type.Optional(schema)]));
}

/** A filter with the lists that a request names. */
export interface ResolvedFilter extends ProductListFilter {
  readonly lists: readonly string[];
}

/** The filters that a query uses. */
export function resolveFilters(db: TenantDatabase, query: object): Promise<ResolvedFilter[]> {
  const values = query as Record<string, string | undefined>;
  const used = productListFilters.of(db).filter(({ name }) => values[name] !== undefined);
  return Promise.all(
    used.map(async (filter) => ({ ...filter, lists: await filter.findLists(db, values[filter.name] as string) })),
  );
}

/** True for products in one of the lists, tested for each product that is read. */
export function isListed({ name, table, column, type = 'uuid', lists }: ResolvedFilter): Condition {
  // A subquery with a limit is evaluated product by product, while `exists` may read all entries first.
  const sql = (at: number) => `(
    select true from ${table} listed
     where listed.tenant_id = $1 and listed.product_id = products.id and listed.${column} = any($${at}::${type}[])
     limit 1)`;
  return { key: `in ${name}`, values: [lists], sql };
}

/** Entries of lists that are read before a page is sorted, at most. */
const maxSorted = 5000;

/**
 * The same for a page in an order that the lists are not in: of short lists all products are read and sorted; long ones
 * are tested for each product in the order of the page, which holds many of them.
 */
export async function isListedInAnyOrder(db: TenantDatabase, filter: ResolvedFilter): Promise<Condition> {
  const { name, table, column, type = 'uuid', lists } = filter;
  const entries = `from ${table} where tenant_id = $1 and ${column} = any($2::${type}[]) limit ${maxSorted}`;
  const [counted] = await db.query<{ count: number }>(`select count(*)::int as count from (select ${entries}) listed`, [
    lists,
  ]);
  if (counted?.count === maxSorted) return isListed(filter);
  const sql = (at: number) => `id = any(array(
    select product_id from ${table} where tenant_id = $1 and ${column} = any($${at}::${type}[])))`;
  return { key: `among ${name}`, values: [lists], sql };
}

/** The page of a list by time. */
export interface FilteredPage {
  order: Order;
  /** The cursor's position: time and id. */
  place: readonly unknown[] | null;
  /** One more than the items of the page. */
  limit: number;
  /** One more than the largest page. */
  maxRows: number;
}

/** Lists up to this number are merged; of more, the store's next products are tested first. */
const maxMerged = 50;
/** The products that are tested, at most. */
const maxScanned = 1000;

/**
 * The condition for the products of a page by time. Many lists have most products of the store, so a page is found soon
 * among its next products; otherwise the lists are merged.
 * @param others all other conditions of the page, without the cursor's
 */
export async function isOnPage(
  db: TenantDatabase,
  filter: ResolvedFilter,
  others: Condition,
  page: FilteredPage,
): Promise<Condition> {
  const { order, place, limit } = page;
  if (filter.lists.length > maxMerged) {
    const { column, direction } = order;
    const scanned = allOf([others, ...(place ? [after(order, place)] : [])]);
    const listed = isListed(filter);
    const rows = await db.query<{ id: string }>(
      `select id from (
         select id from products
          where tenant_id = $1 and ${published} and ${scanned.sql(4)}
          order by ${column} ${direction}, id ${direction} limit ${maxScanned}) products
        where ${listed.sql(3)} limit $2`,
      [limit, ...listed.values, ...scanned.values],
    );
    const ids = rows.map(({ id }) => id);
    if (ids.length === limit) return { key: 'ids', values: [ids], sql: (at) => `id = any($${at})` };
  }
  return isFirstListed(filter, others, page);
}

/** The first products of each list, merged: reads what a page has of each list, and the unpublished products between. */
function isFirstListed(
  { name, table, column, type = 'uuid', lists }: ResolvedFilter,
  others: Condition,
  { order, place, limit, maxRows }: FilteredPage,
): Condition {
  const { direction } = order;
  const operator = direction === 'asc' ? '>' : '<';
  const sql = (at: number) => {
    const from = place
      ? `and (listed.product_created_at, listed.product_id) ${operator} ($${at + 2}::timestamptz, $${at + 3}::uuid)`
      : '';
    const sorted = `order by listed.product_created_at ${direction}, listed.product_id ${direction}`;
    // The constant inner limits help the planner, as in pageStatement (documents.ts).
    return `id = any(array(
      select product_id from (
        select distinct product_created_at, product_id
          from unnest($${at}::${type}[]) as wanted (list_id)
         cross join lateral (
           select * from (
             select listed.product_created_at, listed.product_id
               from ${table} listed
               join products on products.tenant_id = $1 and products.id = listed.product_id
              where listed.tenant_id = $1 and listed.${column} = wanted.list_id ${from}
                and ${published} and ${others.sql(at + (place ? 4 : 2))}
              ${sorted} limit ${maxRows}) first
            limit $${at + 1}) found
         order by product_created_at ${direction}, product_id ${direction} limit $${at + 1}) merged))`;
  };
  return {
    key: `first in ${name} ${direction} ${place !== null} ${others.key}`,
    values: [lists, limit, ...(place ?? []), ...others.values],
    sql,
  };
}
