/**
 * Lookups of products and variants for other packages, each one prepared statement.
 */
import type { TenantDatabase } from '@carton/runtime';
import { always, type Condition, published } from '../conditions-store.ts';
import type { ProductViewer } from '../viewers/service.ts';
import { visibleTo } from '../viewers/visibility.ts';
import type { VariantInfo } from './lookups.ts';
import { productTexts, translateVariants } from './texts.ts';

const statements = new Map<string, string>();

/** @param choices include the ids of chosen values, to translate titles made from them */
function variantsText(visible: Condition, choices: boolean): string {
  const name = `${visible.key} ${choices}`;
  let text = statements.get(name);
  if (text === undefined) {
    text = `select variants.id, variants.product_id, variants.sku, variants.title, products.title as product_title,
            products.handle as product_handle, products.status as product_status, ${published} as published, products.tax_category,
            products.shipping_profile, products.min_quantity, products.max_quantity, products.quantity_step,
            variants.weight, variants.requires_shipping,
            variants.deleted_at is not null or products.deleted_at is not null as deleted,
            (${visible.sql(3)}) is not true as hidden${choices ? ', variants.option_value_ids' : ''}
       from product_variants variants
       join products on products.tenant_id = $1 and products.id = variants.product_id
      where variants.tenant_id = $1 and variants.id = any($2)`;
    statements.set(name, text);
  }
  return text;
}

/**
 * Variants by id, deleted ones too; ids that the tenant does not have are left out.
 * @param viewer a shopper, as for carts: products that they may not see are `hidden`, and texts are in their language.
 *   Without one, nothing is hidden, and texts are in the store's language.
 */
export async function findVariants(
  db: TenantDatabase,
  ids: readonly string[],
  viewer?: ProductViewer,
): Promise<Map<string, VariantInfo>> {
  if (ids.length === 0) return new Map();
  const visible = viewer ? await visibleTo(db, viewer) : always;
  const values = [ids, ...visible.values];
  if (!viewer || productTexts.of(db).length === 0) {
    const rows = await db.query<VariantInfo>(variantsText(visible, false), values);
    return new Map(rows.map((row) => [row.id, row]));
  }
  const rows = await db.query<VariantInfo & { optionValueIds: string[] }>(variantsText(visible, true), values);
  return new Map((await translateVariants(db, rows, viewer)).map((row) => [row.id, row]));
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
