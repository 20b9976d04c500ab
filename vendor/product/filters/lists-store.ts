/**
 * Statements and conditions over the tables of filters by lists.
 */
import { maxPageSize, type TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, orderBy } from '../conditions-store.ts';
import type { ProductListFilter } from './extensions.ts';
import { type FilteredPage, isListedIn, type ProductList } from './store.ts';

/** A filter with the lists that a request names. */
export interface ResolvedFilter extends ProductListFilter {
  readonly lists: readonly (string | boolean)[];
}

/** The products of the lists that a filter names, as conditions. */
export function entriesOf({
  name,
  table,
  column,
  type = 'uuid',
  lists,
}: ResolvedFilter): Pick<ProductList, 'isListed' | 'ids'> {
  const inLists = (at: number) => `listed.tenant_id = $1 and listed.${column} = any($${at}::${type}[])`;
  return {
    isListed: { key: `in ${name}`, values: [lists], sql: (at) => isListedIn(table, inLists(at)) },
    ids: {
      key: `ids of ${name}`,
      values: [lists],
      sql: (at) => `select listed.product_id from ${table} listed where ${inLists(at)}`,
    },
  };
}

/** The products that are tested, at most. */
const maxScanned = 1000;

/**
 * The products of a page that are among the next ones of the store, at most as many as the page has.
 * @param others all other conditions of the page, without the cursor's
 */
export async function findNextListed(
  db: TenantDatabase,
  filter: ResolvedFilter,
  others: Condition,
  { order, place, limit }: FilteredPage,
): Promise<string[]> {
  const scanned = allOf([others, after(order, place)]);
  const { isListed } = entriesOf(filter);
  const rows = await db.query<{ id: string }>(
    `select id from (
       select id from products
        where tenant_id = $1 and ${scanned.sql(4)}
        ${orderBy(order)} limit ${maxScanned}) products
      where ${isListed.sql(3)} limit $2`,
    [limit, ...isListed.values, ...scanned.values],
  );
  return rows.map(({ id }) => id);
}

/** The first products of each list, merged: reads what a page has of each list, and the products between that others hide. */
export function isFirstListed(
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
    // The constant inner limits help the planner, as in pageStatement (`lists/store.ts`). Products are looked up one by one
    // (`offset 0`): without knowing the brand, the planner would take one of many products for one of few, and read them all.
    return `id = any(array(
      select product_id from (
        select distinct product_created_at, product_id
          from unnest($${at}::${type}[]) as wanted (list_id)
         cross join lateral (
           select * from (
             select listed.product_created_at, listed.product_id
               from ${table} listed
              cross join lateral (
                select * from products where tenant_id = $1 and id = listed.product_id offset 0) products
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
