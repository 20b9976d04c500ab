/**
 * What other packages ask of products and variants, each in one prepared statement.
 */
import type { TenantDatabase } from '@carton/runtime';
import { always, type Condition } from './conditions.ts';
import { productTexts, translateVariants } from './texts.ts';
import type { ProductViewer } from './viewer.ts';
import { visibleTo } from './visibility.ts';

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
  /** The viewer it was read for does not see its product: it is not for sale to them. False when read for nobody. */
  hidden: boolean;
}

/** True for a variant that the viewer it was read for may buy. */
export function isForSale({ deleted, hidden, productStatus }: VariantInfo): boolean {
  return !deleted && !hidden && productStatus === 'published';
}

const statements = new Map<string, string>();

/** @param choices with the ids of the chosen values, of which titles in other languages are made */
function variantsText(visible: Condition, choices: boolean): string {
  const name = `${visible.key} ${choices}`;
  let text = statements.get(name);
  if (text === undefined) {
    text = `select variants.id, variants.product_id, variants.sku, variants.title, products.title as product_title,
            products.handle as product_handle, products.status as product_status, variants.weight,
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
 * Variants by id, deleted ones too; an unknown id (another tenant's as well) is left out.
 * @param viewer whoever it is read for, as carts do: what they do not see is `hidden`, and texts are in their language.
 *   Left out, nothing is hidden, and texts are those of the store.
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

/** Which of these ids are products that are not deleted. */
export async function findProductIds(db: TenantDatabase, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.query<{ id: string }>(
    'select id from products where tenant_id = $1 and id = any($2) and deleted_at is null',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
