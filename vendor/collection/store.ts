/**
 * Queries of the tables of collection.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { handleTaken } from './problems.ts';
import type { CollectionRow } from './schemas.ts';

export const collections = rows<CollectionRow>({
  table: 'collections',
  noun: 'collection',
  json: ['rule', 'metadata'],
  taken: { collections_handle: handleTaken },
});

export interface PlacedProduct {
  productId: string;
  position: number;
}

/** Before the first place of a collection. */
export const beginning: PlacedProduct = { position: -1, productId: '00000000-0000-0000-0000-000000000000' };

/** The products of a collection in their order, from after a place on. */
export function placedProducts(
  db: TenantDatabase,
  collectionId: string,
  after: PlacedProduct,
  limit: number,
): Promise<PlacedProduct[]> {
  return db.query<PlacedProduct>(
    `select product_id, position from collection_products
      where tenant_id = $1 and collection_id = $2 and (position, product_id) > ($3, $4)
      order by position, product_id limit $5`,
    [collectionId, after.position, after.productId, limit],
  );
}

/** Collections by id, with those of the products that were put into them by hand. */
export function findMemberships(
  db: TenantDatabase,
  ids: readonly string[],
  productIds: readonly string[],
): Promise<(Pick<CollectionRow, 'id' | 'rule'> & { productIds: string[] })[]> {
  return db.query(
    `select id, rule, array(
              select product_id from collection_products places
               where places.tenant_id = $1 and places.collection_id = collections.id
                 and places.product_id = any($3::uuid[])) as product_ids
       from collections
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids, productIds],
  );
}
