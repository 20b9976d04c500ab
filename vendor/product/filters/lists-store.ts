/**
 * Filters of `GET /products` by lists of products that other packages store, such as categories.
 */
import { extensionPoint, maxPageSize, type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import { after, allOf, type Condition, idsIn, orderBy } from '../conditions-store.ts';
import type { FilteredPage, ProductList } from './service.ts';

/** A filter by the lists in which products are. */
export interface ProductListFilter {
  /** The query parameter: `category`. */
  readonly name: string;
  /** Its schema; the value is a string or a boolean. */
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
  readonly type?: 'uuid' | 'text' | 'boolean';
  /**
   * False for a table without `product_created_at`, which may have several rows for a product and the indexes
   * `(tenant_id, <column>, product_id)` and `(tenant_id, product_id, <column>)`. Default: true.
   */
  readonly byTime?: boolean;
  /**
   * The lists that a value names. A product in several of them is listed once; without lists nothing is listed. Null for
   * a value that does not filter.
   */
  findLists(db: TenantDatabase, value: string | boolean): Promise<readonly (string | boolean)[] | null>;
}

export const productListFilters = extensionPoint<ProductListFilter>('product.list-filters');

/** The query parameters of the filters of a box. */
export function filterParameters(filters: readonly ProductListFilter[]): Record<string, TSchema> {
  return Object.fromEntries(filters.map(({ name, schema }) => [name, Type.Optional(schema)]));
}

/** A filter with the lists that a request names. */
export interface ResolvedFilter extends ProductListFilter {
  readonly lists: readonly (string | boolean)[];
}

/** The filters that a query uses. */
export async function resolveFilters(db: TenantDatabase, query: object): Promise<ResolvedFilter[]> {
  const values = query as Record<string, string | boolean | undefined>;
  const used = productListFilters.of(db).filter(({ name }) => values[name] !== undefined);
  const resolved = await Promise.all(
    used.map(async (filter) => ({
      ...filter,
      lists: await filter.findLists(db, values[filter.name] as string | boolean),
    })),
  );
  return resolved.flatMap(({ lists, ...filter }) => (lists ? [{ ...filter, lists }] : []));
}

/** The products of the lists that a filter names. */
export function listOf(filter: ResolvedFilter): ProductList {
  const { name, table, column, type = 'uuid', byTime = true, lists } = filter;
  const inLists = (at: number) => `listed.tenant_id = $1 and listed.${column} = any($${at}::${type}[])`;
  return {
    isListed: { key: `in ${name}`, values: [lists], sql: (at) => isListedIn(table, inLists(at)) },
    ids: {
      key: `ids of ${name}`,
      values: [lists],
      sql: (at) => `select listed.product_id from ${table} listed where ${inLists(at)}`,
    },
    ...(byTime && {
      onPage: (db: TenantDatabase, others: Condition, page: FilteredPage) => isOnPage(db, filter, others, page),
    }),
  };
}

/** Tested product by product, because a subquery with a limit is, while `exists` may read all entries first. */
export function isListedIn(table: string, condition: string): string {
  return `(select true from ${table} listed where ${condition} and listed.product_id = products.id limit 1)`;
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
async function isOnPage(
  db: TenantDatabase,
  filter: ResolvedFilter,
  others: Condition,
  page: FilteredPage,
): Promise<Condition> {
  const { order, place, limit } = page;
  if (filter.lists.length > maxMerged) {
    const scanned = allOf([others, after(order, place)]);
    const { isListed } = listOf(filter);
    const rows = await db.query<{ id: string }>(
      `select id from (
         select id from products
          where tenant_id = $1 and ${scanned.sql(4)}
          ${orderBy(order)} limit ${maxScanned}) products
        where ${isListed.sql(3)} limit $2`,
      [limit, ...isListed.values, ...scanned.values],
    );
    if (rows.length === limit) return idsIn(rows.map(({ id }) => id));
  }
  return isFirstListed(filter, others, page);
}

/** The first products of each list, merged: reads what a page has of each list, and the products between that others hide. */
function isFirstListed(
  { name, table, column, type = 'uuid', lists }: ResolvedFilter,
  others: Condition,
  { order, place, limit }: FilteredPage,
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
                and ${others.sql(at + (place ? 4 : 2))}
              ${sorted} limit ${maxPageSize + 1}) first
            limit $${at + 1}) found
         order by product_created_at ${direction}, product_id ${direction} limit $${at + 1}) merged))`;
  };
  return {
    key: `first in ${name} ${direction} ${place !== null} ${others.key}`,
    values: [lists, limit, ...(place ?? []), ...others.values],
    sql,
  };
}
