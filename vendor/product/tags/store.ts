/**
 * Queries of the table `product_tags`, by which products are found.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Adds keys of tags to a product, which may have some of them. */
export async function insertTagKeys(tx: TenantDatabase, productId: string, keys: readonly string[]): Promise<void> {
  await tx.query(
    `insert into product_tags (tenant_id, product_id, tag_key, product_created_at)
     select products.tenant_id, products.id, tag_key, products.created_at
       from products, unnest($3::text[]) as tag_key
      where products.tenant_id = $1 and products.id = $2
     on conflict do nothing`,
    [productId, keys],
  );
}

export async function removeTagKeys(tx: TenantDatabase, productId: string): Promise<void> {
  await tx.remove('product_tags', { productId });
}

/** Those of the products that have tags and are not deleted, with the keys by which they are found. */
export function listTagged(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<{ id: string; tags: string[]; keys: string[] }[]> {
  return db.query(
    `select id, tags,
            array(select tag_key from product_tags where tenant_id = $1 and product_id = products.id) as keys
       from products where tenant_id = $1 and id = any($2::uuid[]) and deleted_at is null and tags <> '{}'`,
    [ids],
  );
}

/** The tags of a product, which is locked; null if it is deleted. */
export async function lockTags(tx: TenantDatabase, id: string): Promise<string[] | null> {
  const [locked] = await tx.query<{ tags: string[] }>(
    'select tags from products where tenant_id = $1 and id = $2 and deleted_at is null for update',
    [id],
  );
  return locked?.tags ?? null;
}
