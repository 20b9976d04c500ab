/**
 * Pages of products for shoppers.
 */
import { decodeCursor, invalidRequest, type Page, pageOfRows, type TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, equals, isPublished, type Order } from '../conditions-store.ts';
import { listOf, resolveFilters } from '../filters/lists.ts';
import { resolveMeasures } from '../filters/measures.ts';
import { isOnListedPage } from '../filters/service.ts';
import { listedBefore, listOfColumns, type ProductList } from '../filters/store.ts';
import type { ProductDocument } from '../reads/store.ts';
import { searchedText, titleSearch } from '../search/service.ts';
import type { ProductViewer } from '../viewers/service.ts';
import type { ViewRequest } from '../viewers/terms.ts';
import { visibleTo } from '../viewers/visibility.ts';
import type { ProductQuery } from './schemas.ts';
import { listInOrder } from './store.ts';
import { orderOf } from './title-order.ts';

/** `sort` is one of `sorts`, or one of a measure. */
type PageQuery = Pick<ProductQuery, 'limit' | 'cursor' | 'q' | 'handle' | 'brand' | 'type'> &
  ViewRequest & { sort: string };

/**
 * A page of the published products that the viewer may see.
 * @param query with values of the filters that packages contribute
 * @param fields the requested fields; variants and options are read only if requested
 * @throws invalid_request (400) for a cursor of another list
 */
export async function pageOfPublishedProducts(
  db: TenantDatabase,
  query: PageQuery,
  fields: ReadonlySet<string> | null = null,
  viewer?: ProductViewer,
): Promise<Page<ProductDocument>> {
  const { limit } = query;
  const { order: measured, ranges } = await resolveMeasures(db, query);
  const order: Order = measured ?? ((await orderOf(db, query)) as Order);
  const condition = await conditionOfPage(db, query, { order, ranges }, viewer);
  const rows = await listInOrder(db, { order, condition, limit: limit + 1 }, fields);
  return pageOfRows(rows, limit, ({ sortKey, id }) => [order.name, order.findHidden ? '' : sortKey, id]);
}

/** The position of a cursor: the value of the order's column, and the id. @throws invalid_request (400) */
async function placeOf(db: TenantDatabase, cursor: string, order: Order): Promise<readonly unknown[]> {
  const [, value, id] = decodeCursor(cursor, order.name);
  if (!order.findHidden) return [value, id];
  const hidden = await order.findHidden(db, id);
  if (hidden !== null) return [hidden, id];
  const detail = 'is of a product that is no longer in this order';
  throw invalidRequest(`cursor ${detail}`, { errors: [{ in: 'query', pointer: '/cursor', detail }] });
}

async function conditionOfPage(
  db: TenantDatabase,
  query: PageQuery,
  { order, ranges }: { order: Order; ranges: readonly ProductList[] },
  viewer?: ProductViewer,
): Promise<Condition> {
  const { limit, cursor, handle, brand, type } = query;
  const q = searchedText(query.q);
  const place = cursor === undefined ? null : await placeOf(db, cursor, order);
  const [visible, filters] = await Promise.all([visibleTo(db, viewer), resolveFilters(db, query)]);
  const fixed = listOfColumns({ brand, type });
  const lists = [...filters.map(listOf), ...ranges];
  const base = allOf([isPublished, ...(fixed ? [fixed.isListed] : [])]);
  const { isIndexedByColumns } = order;
  const isServed = lists.length === 0 && isIndexedByColumns;
  const inBase = fixed && listedBefore(fixed);
  if (q === undefined && handle === undefined) {
    const served = isIndexedByColumns ? base : isPublished;
    const page = { order, place, limit: limit + 1, base: served, tested: visible };
    const ofColumns = isIndexedByColumns ? inBase : fixed;
    const all = ofColumns && !isServed ? [...lists, ofColumns] : lists;
    return allOf([order.joined, await isOnListedPage(db, { ...page, lists: all })]);
  }
  const conditions = [order.joined, base, after(order, place), visible];
  if (handle !== undefined) conditions.push(equals('handle', handle), ...lists.map(({ isListed }) => isListed));
  if (q === undefined) return allOf(conditions);
  const all = inBase && !isServed ? [...lists, inBase] : lists;
  const searched = { conditions, lists: handle === undefined ? all : [], order, limit };
  return allOf([...conditions, await titleSearch(db, q, { statuses: ['published'], ...searched })]);
}
