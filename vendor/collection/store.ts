/**
 * Queries of the tables of collection.
 */
import type { ProductRule } from '@carton/product';
import { json, lockFor, type TenantDatabase } from '@carton/runtime';

export interface CollectionRow {
  id: string;
  handle: string;
  title: string;
  description: string;
  kind: 'manual' | 'rule';
  rule: ProductRule | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface PlacedProduct {
  productId: string;
  position: number;
}

export async function findCollection(db: TenantDatabase, id: string): Promise<CollectionRow | null> {
  const [row] = await db.query<CollectionRow>('select * from collections where tenant_id = $1 and id = $2', [id]);
  return row ?? null;
}

export async function findCollectionByHandle(db: TenantDatabase, handle: string): Promise<CollectionRow | null> {
  const [row] = await db.query<CollectionRow>('select * from collections where tenant_id = $1 and handle = $2', [
    handle,
  ]);
  return row ?? null;
}

/** Locks a collection for a change of it or its products. */
export async function lockCollection(db: TenantDatabase, id: string): Promise<CollectionRow | null> {
  const [row] = await db.query<CollectionRow>('select * from collections where tenant_id = $1 and id = $2 for update', [
    id,
  ]);
  return row ?? null;
}

/**
 * Handles in use that begin with `stem`. Whoever asks picks one, and the next to ask waits until its transaction ends:
 * two made from one title at once get different handles.
 */
export async function handlesLike(db: TenantDatabase, stem: string): Promise<Set<string>> {
  await lockFor(db, 'collections.handle');
  const rows = await db.query<{ handle: string }>(
    'select handle from collections where tenant_id = $1 and starts_with(handle, $2)',
    [stem],
  );
  return new Set(rows.map(({ handle }) => handle));
}

export async function insertCollection(
  db: TenantDatabase,
  { rule, metadata, ...fields }: Omit<CollectionRow, 'createdAt' | 'updatedAt'>,
): Promise<void> {
  await db.insert('collections', { ...fields, rule: rule && json(rule), metadata: json(metadata) });
}

export async function updateCollection(
  db: TenantDatabase,
  id: string,
  { rule, metadata, ...fields }: Partial<CollectionRow>,
): Promise<void> {
  const patch = { ...fields, rule: rule && json(rule), metadata: metadata && json(metadata), updatedAt: new Date() };
  await db.update('collections', { id }, patch);
}

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

/** Before the first place of a collection. */
export const beginning: PlacedProduct = { position: -1, productId: '00000000-0000-0000-0000-000000000000' };

/** Gives a collection these products in this order; rows that stay as they are are not written. */
export async function replaceProducts(
  db: TenantDatabase,
  collectionId: string,
  current: readonly PlacedProduct[],
  wanted: readonly string[],
): Promise<void> {
  const positions = new Map(wanted.map((productId, position) => [productId, position]));
  const gone = current.filter(({ productId, position }) => positions.get(productId) !== position);
  const kept = new Set(current.filter((row) => !gone.includes(row)).map(({ productId }) => productId));
  if (gone.length > 0) {
    await db.remove('collection_products', { collectionId, productId: gone.map(({ productId }) => productId) });
  }
  const added = wanted.filter((productId) => !kept.has(productId));
  await db.insertMany(
    'collection_products',
    added.map((productId) => ({ collectionId, productId, position: positions.get(productId) })),
  );
}
