/**
 * What other packages ask of products and variants, each in one prepared statement.
 */
import type { TenantDatabase } from '@carton/runtime';

/** A variant as far as selling, stocking and pricing it go. */
export interface VariantInfo {
  id: string;
  productId: string;
  sku: string | null;
  title: string;
  productTitle: string;
  productHandle: string;
  productStatus: 'draft' | 'published' | 'archived';
  /** Grams. */
  weight: number | null;
  /** The variant or its product was deleted: it is known for the sake of old orders, and not for sale. */
  deleted: boolean;
}

/** Variants by id, deleted ones too; an unknown id (another tenant's as well) is left out. */
export async function findVariants(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, VariantInfo>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<VariantInfo>(
    `select variants.id, variants.product_id, variants.sku, variants.title, products.title as product_title,
            products.handle as product_handle, products.status as product_status, variants.weight,
            variants.deleted_at is not null or products.deleted_at is not null as deleted
       from product_variants variants
       join products on products.tenant_id = $1 and products.id = variants.product_id
      where variants.tenant_id = $1 and variants.id = any($2)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Which of these ids are products that are not deleted. */
export async function findProductIds(db: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    'select id from products where tenant_id = $1 and id = any($2) and deleted_at is null',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
