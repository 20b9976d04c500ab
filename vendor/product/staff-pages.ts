/**
 * Lists of products for staff and integrations.
 */
import { decodeCursor, type IntegrationPage, type TenantDatabase } from '@carton/runtime';
import { after, type Condition, equals, rawCondition, sorts } from './conditions.ts';
import { type AdminProductQuery, statuses } from './schemas.ts';
import { type ProductRow, products } from './store.ts';
import { titleSearch } from './title-words.ts';

const notDeleted: Condition = { key: 'not deleted', values: [], sql: () => 'deleted_at is null' };

/**
 * A page of products that are not deleted, newest first, or of those changed after a time.
 * @throws invalid_request (400) for `updatedAfter` with another filter, or a cursor of another list
 */
export async function pageOfProducts(
  db: TenantDatabase,
  query: AdminProductQuery,
): Promise<IntegrationPage<ProductRow>> {
  const { q, ...others } = query;
  if (q === undefined || others.updatedAfter !== undefined) return products.page(db, query);
  return products.page(db, { ...others, meets: rawCondition(db.tenantId, await search(db, q, others)) });
}

function search(
  db: TenantDatabase,
  q: string,
  { limit, cursor, handle, brand, type, status, externalId }: AdminProductQuery,
): Promise<Condition> {
  const order = sorts.newest;
  const filters = Object.entries({ handle, brand, type, status, external_id: externalId }).filter(
    ([, value]) => value !== undefined,
  );
  const conditions = [
    notDeleted,
    ...filters.map(([column, value]) => equals(column, value)),
    ...(cursor === undefined ? [] : [after(order, decodeCursor(cursor, 'newest').slice(1))]),
  ];
  return titleSearch(db, q, { statuses: status === undefined ? statuses : [status], conditions, order, limit });
}
