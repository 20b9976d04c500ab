/**
 * Queries of the tables `products` and `product_variants` as rows; `reads/store.ts` reads complete products.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import type { RawCondition } from './conditions-store.ts';
import type { QuantityRule } from './quantities.ts';
import type { Schedule } from './schedule/schemas.ts';
import type { Dimensions, ProductDetails, ProductStatus } from './schemas.ts';

export interface ProductRow extends QuantityRule, ProductDetails, Schedule {
  id: string;
  handle: string;
  title: string;
  description: string;
  status: ProductStatus;
  /** Code of a tax category; null for the default category. */
  taxCategory: string | null;
  /** Code of a shipping profile; null for the default profile. */
  shippingProfile: string | null;
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export interface VariantRow extends Dimensions {
  id: string;
  productId: string;
  title: string;
  sku: string | null;
  barcode: string | null;
  position: number;
  weight: number | null;
  hsCode: string | null;
  originCountry: string | null;
  /** False for what reaches the shopper without a parcel: a download, a service. */
  requiresShipping: boolean;
  optionValueIds: string[];
  externalId: string | null;
  metadata: Record<string, unknown>;
  createdAt: string;
  updatedAt: string;
}

export type NewVariant = Omit<VariantRow, 'createdAt' | 'updatedAt'>;

/** Lock the row to change a product, its options or its variants. `meets` filters a list. */
export const products = rows<ProductRow>({
  table: 'products',
  noun: 'product',
  json: ['attributes', 'metadata'],
  softDelete: true,
  filters: { meets: (listed, { sql, values }: RawCondition) => listed.whereRaw(sql, values) },
});

export const productVariants = rows<VariantRow>({
  table: 'product_variants',
  noun: 'variant',
  json: ['metadata'],
  softDelete: true,
  filters: { skus: (listed, skus: readonly string[]) => listed.whereRaw('sku = any(?::text[])', [skus as string[]]) },
});

/** The variants of a product, without deleted ones, in order. */
export function variantsOf(db: TenantDatabase, productId: string): Promise<VariantRow[]> {
  return db.query<VariantRow>(
    `select * from product_variants where tenant_id = $1 and product_id = $2 and deleted_at is null
      order by position, id`,
    [productId],
  );
}

/** Whether a product that is not deleted has this tax category. */
export async function hasProductOfTaxCategory(db: TenantDatabase, code: string): Promise<boolean> {
  const found = await db.query(
    'select 1 from products where tenant_id = $1 and tax_category = $2 and deleted_at is null limit 1',
    [code],
  );
  return found.length > 0;
}

/** Whether a product that is not deleted has this shipping profile. */
export async function hasProductOfShippingProfile(db: TenantDatabase, code: string): Promise<boolean> {
  const found = await db.query(
    'select 1 from products where tenant_id = $1 and shipping_profile = $2 and deleted_at is null limit 1',
    [code],
  );
  return found.length > 0;
}

/**
 * SQL for statements of other packages: whether the product with an id is published. It may be scheduled for later.
 * @param id an expression, such as `items.product_id`
 */
export const isPublishedProduct = (id: string) => `
  exists (select from products
           where products.tenant_id = $1 and products.id = ${id}
             and products.status = 'published' and products.deleted_at is null)`;

/**
 * SQL for statements of other packages: the ids of products that have changed between two times, the later one included,
 * and are not deleted.
 * @param since an expression, such as `$2`
 * @param until an expression; `'infinity'` for all later ones
 */
export const changedProducts = (since: string, until: string) => `
  select products.id from products
   where products.tenant_id = $1 and products.updated_at > ${since} and products.updated_at <= ${until}
     and products.deleted_at is null`;

/** The products that are not deleted. */
export function countProducts(db: TenantDatabase): Promise<number> {
  return countUndeleted(db, 'products');
}

/** The variants that are not deleted. */
export function countVariants(db: TenantDatabase): Promise<number> {
  return countUndeleted(db, 'product_variants');
}

async function countUndeleted(db: TenantDatabase, table: 'products' | 'product_variants'): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from ${table} where tenant_id = $1 and deleted_at is null`,
  );
  return row?.count ?? 0;
}
