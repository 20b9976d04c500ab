/**
 * Queries of the table `related_products`.
 */
import { replaceRows, type TenantDatabase } from '@carton/runtime';
import type { kinds } from './schemas.ts';

/** A product that is related to another one. */
export interface RelatedRow {
  relatedId: string;
  kind: (typeof kinds)[number];
  position: number;
}

/** The related products of a product in their order, deleted ones too. */
export function listRelatedRows(db: TenantDatabase, productId: string): Promise<RelatedRow[]> {
  return db.query<RelatedRow>(
    `select related_id, kind, position from related_products
      where tenant_id = $1 and product_id = $2 order by position`,
    [productId],
  );
}

/**
 * Locks products in the order of their ids, so that those who relate products to each other concurrently wait for one
 * another. Returns the ids of those that exist.
 */
export async function lockProducts(tx: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from products
      where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null order by id for no key update`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Writes what differs between the present related products of a product and the requested ones. */
export function replaceRelated(
  tx: TenantDatabase,
  productId: string,
  present: readonly RelatedRow[],
  requested: readonly RelatedRow[],
): Promise<void> {
  return replaceRows(tx, 'related_products', { productId }, 'relatedId', present, requested);
}
