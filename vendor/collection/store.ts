/**
 * Queries of the tables of collection.
 */
import { replaceRows, rows, type TenantDatabase } from '@carton/runtime';
import { handleTaken } from './problems.ts';
import type { CollectionRow } from './schemas.ts';

export const collections = rows<CollectionRow>({
  table: 'collections',
  noun: 'collection',
  json: ['rule', 'metadata'],
  duplicates: { collections_handle: handleTaken },
});

/** A product of a manual collection. */
export interface CollectionProduct {
  productId: string;
  position: number;
}

/** Comes before all products of a collection. */
export const start: CollectionProduct = { position: -1, productId: '00000000-0000-0000-0000-000000000000' };

/** The products of a manual collection in their order, after one of them. */
export function listProductsAfter(
  db: TenantDatabase,
  collectionId: string,
  after: CollectionProduct,
  limit: number,
): Promise<CollectionProduct[]> {
  return db.query<CollectionProduct>(
    `select product_id, position from collection_products
      where tenant_id = $1 and collection_id = $2 and (position, product_id) > ($3, $4)
      order by position, product_id limit $5`,
    [collectionId, after.position, after.productId, limit],
  );
}

/** Writes what differs between the present products of a manual collection and the requested ones. */
export function replaceProducts(
  tx: TenantDatabase,
  collectionId: string,
  present: readonly CollectionProduct[],
  requested: readonly CollectionProduct[],
): Promise<void> {
  return replaceRows(tx, 'collection_products', { collectionId }, 'productId', present, requested);
}

export async function removeProducts(tx: TenantDatabase, collectionId: string): Promise<void> {
  await tx.remove('collection_products', { collectionId });
}

/** Collections by id, with those of the products that are listed in them by hand. */
export function findMemberships(
  db: TenantDatabase,
  ids: readonly string[],
  productIds: readonly string[],
): Promise<(Pick<CollectionRow, 'id' | 'rule'> & { productIds: string[] })[]> {
  return db.query(
    `select id, rule, array(
              select product_id from collection_products listed
               where listed.tenant_id = $1 and listed.collection_id = collections.id
                 and listed.product_id = any($3::uuid[])) as product_ids
       from collections
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids, productIds],
  );
}
