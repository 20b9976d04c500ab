/**
 * Filters of `GET /products` by lists of products that other packages store, such as categories.
 */
import { type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import { type Condition, idsIn } from '../conditions-store.ts';
import { type ProductListFilter, productListFilters } from './extensions.ts';
import { entriesOf, findNextListed, isFirstListed, type ResolvedFilter } from './lists-store.ts';
import type { FilteredPage, ProductList } from './store.ts';

/** The query parameters of the filters of a box. */
export function filterParameters(filters: readonly ProductListFilter[]): Record<string, TSchema> {
  return Object.fromEntries(filters.map(({ name, schema }) => [name, Type.Optional(schema)]));
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
  return {
    ...entriesOf(filter),
    ...((filter.byTime ?? true) && {
      onPage: (db: TenantDatabase, others: Condition, page: FilteredPage) => isOnPage(db, filter, others, page),
    }),
  };
}

/** Lists up to this number are merged; of more, the store's next products are tested first. */
const maxMerged = 50;

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
  if (filter.lists.length > maxMerged) {
    const found = await findNextListed(db, filter, others, page);
    if (found.length === page.limit) return idsIn(found);
  }
  return isFirstListed(filter, others, page);
}
