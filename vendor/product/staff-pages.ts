/**
 * Pages of the products as staff and their systems list them.
 */
import { decodeCursor, type IntegrationPage, paginateIntegration, type TenantDatabase } from '@carton/runtime';
import { after, allOf, type Condition, equals, rawCondition, sorts } from './conditions.ts';
import { type AdminProductQuery, statuses } from './schemas.ts';
import type { ProductRow } from './store.ts';
import { titleSearch } from './title-words.ts';

const notDeleted: Condition = { key: 'not deleted', values: [], sql: () => 'deleted_at is null' };

/**
 * One page of products that are not deleted, newest first, or of those changed after a moment.
 * @throws invalid_request (400) for `updatedAfter` with another filter, or a cursor of another list
 */
export async function pageOfProducts(
  db: TenantDatabase,
  { q, handle, status, ...place }: AdminProductQuery,
): Promise<IntegrationPage<ProductRow>> {
  const conditions = [
    notDeleted,
    ...(handle === undefined ? [] : [equals('handle', handle)]),
    ...(status === undefined ? [] : [equals('status', status)]),
  ];
  if (q !== undefined && place.updatedAfter === undefined) {
    const { cursor, externalId, limit } = place;
    const order = sorts.newest;
    const listed = [
      ...conditions,
      ...(externalId === undefined ? [] : [equals('external_id', externalId)]),
      ...(cursor === undefined ? [] : [after(order, decodeCursor(cursor, 'newest').slice(1))]),
    ];
    const among = status === undefined ? statuses : [status];
    conditions.push(await titleSearch(db, q, { statuses: among, conditions: listed, order, limit }));
  }
  const { sql, values } = rawCondition(db.tenantId, allOf(conditions));
  const rows = db.table<ProductRow>('products').whereRaw(sql, values as never);
  return paginateIntegration(db, rows, 'products', place, { q, handle, status });
}
