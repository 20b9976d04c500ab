/**
 * Pages of products for staff and integrations.
 */
import { decodeCursor, type IntegrationPage, type TenantDatabase } from '@carton/runtime';
import { after, allOf, always, type Condition, equals, notDeleted, rawCondition, sorts } from '../conditions-store.ts';
import { listOf } from '../filters/lists.ts';
import { isOnListedPage } from '../filters/service.ts';
import { listedBefore, listOfColumns } from '../filters/store.ts';
import { statuses } from '../schemas.ts';
import { searchedText, titleSearch } from '../search/service.ts';
import { type ProductRow, products } from '../store.ts';
import { tagFilter, tagsOf } from '../tags/service.ts';
import type { AdminProductQuery } from './schemas.ts';

/**
 * A page of products that are not deleted, newest first, or of those changed after a time.
 * @throws invalid_request (400) for `updatedAfter` with another filter, or a cursor of another list
 */
export async function pageOfProducts(
  db: TenantDatabase,
  query: AdminProductQuery,
): Promise<IntegrationPage<ProductRow>> {
  const { q, tag, ...others } = query;
  if (others.updatedAfter !== undefined) return products.page(db, query);
  if (searchedText(q) === undefined && tag === undefined) return products.page(db, others);
  return products.page(db, { ...others, meets: rawCondition(db.tenantId, await search(db, query)) });
}

async function search(db: TenantDatabase, query: AdminProductQuery): Promise<Condition> {
  const { tag, limit, cursor, handle, brand, type, status, externalId } = query;
  const q = searchedText(query.q);
  const order = sorts.newest;
  const place = cursor === undefined ? null : decodeCursor(cursor, order.name).slice(1, 3);
  const tagged = tag === undefined ? [] : [listOf({ ...tagFilter, lists: tagsOf(tag) })];
  const unique = Object.entries({ handle, external_id: externalId }).flatMap(([column, value]) =>
    value === undefined ? [] : [equals(column, value)],
  );
  const fixed = listOfColumns({ brand, type, status });
  const base = allOf([notDeleted, ...(fixed ? [fixed.isListed] : []), ...unique]);
  if (q === undefined && unique.length === 0) {
    const lists = fixed ? [...tagged, listedBefore(fixed)] : tagged;
    return isOnListedPage(db, { order, place, limit: limit + 1, base, tested: always, lists });
  }
  const listed = unique.length > 0 ? tagged.map(({ isListed }) => isListed) : [];
  const conditions = [base, after(order, place), ...listed];
  if (q === undefined) return allOf(conditions);
  const lists = unique.length > 0 ? [] : tagged;
  const searched = { statuses: status === undefined ? statuses : [status], conditions, lists, order, limit };
  return allOf([...listed, await titleSearch(db, q, searched)]);
}
