/**
 * Lookups of products and variants for other packages, each one prepared statement.
 */
import { type GoodsRows, goodsRows, type TenantDatabase } from '@carton/runtime';
import { always, type Condition, published, statement } from '../conditions-store.ts';
import type { QuantityRule } from '../quantities.ts';
import type { ProductStatus } from '../schemas.ts';

/** A variant as needed to sell, stock and price it. */
export interface VariantInfo extends QuantityRule {
  id: string;
  productId: string;
  sku: string | null;
  title: string;
  productTitle: string;
  productHandle: string;
  productStatus: ProductStatus;
  /** Its product is published, and the time is within its schedule. */
  published: boolean;
  /** It will become published, or cease to be, without a write. */
  isScheduled: boolean;
  /** Code of the product's tax category; null for the default category. */
  taxCategory: string | null;
  /** Code of the product's shipping profile; null for the default profile. */
  shippingProfile: string | null;
  /** Grams. */
  weight: number | null;
  /** False for what reaches the shopper without a parcel: a download, a service. */
  requiresShipping: boolean;
  /** The variant or its product is deleted: it still exists for old orders, but is not for sale. */
  deleted: boolean;
  /** The viewer may not see its product, so it is not for sale to them. False without a viewer. */
  hidden: boolean;
}

/** @param choices include the ids of chosen values, to translate titles made from them */
function variantsText(visible: Condition, choices: boolean): string {
  return statement(
    `variants ${visible.key} ${choices}`,
    () => `
     select variants.id, variants.product_id, variants.sku, variants.title, products.title as product_title,
            products.handle as product_handle, products.status as product_status, ${published} as published, products.tax_category,
            products.shipping_profile, products.min_quantity, products.max_quantity, products.quantity_step,
            variants.weight, variants.requires_shipping,
            coalesce(greatest(products.publish_at, products.unpublish_at) > now(), false) as is_scheduled,
            variants.deleted_at is not null or products.deleted_at is not null as deleted,
            (${visible.sql(3)}) is not true as hidden${choices ? ', variants.option_value_ids' : ''}
       from product_variants variants
       join products on products.tenant_id = $1 and products.id = variants.product_id
      where variants.tenant_id = $1 and variants.id = any($2)`,
  );
}

/** The title of the product of a variant, in the store's language, as an SQL expression. @param variant its id */
export const titleOfVariant = (variant: string) => `(
  select products.title
    from product_variants variants
    join products on products.tenant_id = $1 and products.id = variants.product_id
   where variants.tenant_id = $1 and variants.id = ${variant})`;

const variantsForAll: GoodsRows<VariantInfo> = goodsRows({
  text: variantsText(always, false),
  id: 'id',
  lasts: ({ isScheduled }) => !isScheduled,
});

/**
 * Variants by id, deleted ones too; from memory where no package hides products.
 * @param visible what the viewer may see: other products are `hidden`
 */
export async function findVariantRows(
  db: TenantDatabase,
  ids: readonly string[],
  visible: Condition,
): Promise<readonly VariantInfo[]> {
  if (visible.key === always.key) return db.readGoods(variantsForAll, ids);
  return db.query(variantsText(visible, false), [ids, ...visible.values]);
}

/** The same, with the ids of their chosen values. */
export function findVariantRowsWithChoices(
  db: TenantDatabase,
  ids: readonly string[],
  visible: Condition,
): Promise<(VariantInfo & { optionValueIds: string[] })[]> {
  return db.query(variantsText(visible, true), [ids, ...visible.values]);
}

/** The products of these variants, deleted ones too, each with the ids of all of its variants that are not deleted. */
export async function findSiblings(db: TenantDatabase, variantIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.query<{ productId: string; variantIds: string[] }>(
    `select product_id, array_remove(array_agg(case when deleted_at is null then id end), null) as variant_ids
       from product_variants
      where tenant_id = $1 and product_id = any(array(
        select product_id from product_variants where tenant_id = $1 and id = any($2::uuid[])))
      group by product_id`,
    [variantIds],
  );
  return new Map(rows.map((row) => [row.productId, row.variantIds]));
}

/** Which of these ids belong to products that are not deleted. */
export async function findProductIds(db: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    'select id from products where tenant_id = $1 and id = any($2) and deleted_at is null',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** When products were created, by id, without deleted and unknown ones. */
export async function findProductTimes(db: TenantDatabase, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; createdAt: string }>(
    'select id, created_at from products where tenant_id = $1 and id = any($2) and deleted_at is null',
    [ids],
  );
  return new Map(rows.map(({ id, createdAt }) => [id, createdAt]));
}
