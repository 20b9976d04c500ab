/**
 * Queries of products and variants as rows; documents.ts reads complete products.
 */
import { freeHandle, json, rows, type TenantDatabase } from '@carton/runtime';
import type { RawCondition } from './conditions.ts';
import type { QuantityRule } from './quantities.ts';
import type { ProductStatus } from './schemas.ts';
import { rewriteTitleWords, writeTitleWords } from './title-words.ts';

export interface ProductRow extends QuantityRule {
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

export interface VariantRow {
  id: string;
  productId: string;
  title: string;
  sku: string | null;
  barcode: string | null;
  position: number;
  weight: number | null;
  hsCode: string | null;
  originCountry: string | null;
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
  json: ['metadata'],
  softDelete: true,
  filters: { meets: (listed, { sql, values }: RawCondition) => listed.whereRaw(sql, values) },
});

export const productVariants = rows<VariantRow>({
  table: 'product_variants',
  noun: 'variant',
  json: ['metadata'],
  softDelete: true,
});

type NewProduct = Omit<ProductRow, 'createdAt' | 'updatedAt'>;

/** Inserts a product in a transaction. */
export async function insertProduct(db: TenantDatabase, product: NewProduct): Promise<void> {
  await products.insert(db, product);
  await writeTitleWords(db, product.id);
}

/** Changes a product in a transaction. */
export async function updateProduct(db: TenantDatabase, id: string, patch: Partial<ProductRow>): Promise<ProductRow> {
  const row = await products.change(db, id, patch);
  if (patch.title !== undefined || patch.status !== undefined) await rewriteTitleWords(db, id);
  return row;
}

/** Soft deletes a product and its variants, in a transaction: their handle and SKUs become available. */
export async function removeProduct(db: TenantDatabase, id: string): Promise<void> {
  const now = new Date();
  await products.remove(db, id);
  await db.update('product_variants', { productId: id, deletedAt: null }, { deletedAt: now, updatedAt: now });
  await rewriteTitleWords(db, id);
}

/** A handle that no undeleted product has. */
export function freeProductHandle(tx: TenantDatabase, stem: string): Promise<string> {
  return freeHandle(tx, 'products', stem, 'deleted_at is null');
}

/** The variants of a product, without deleted ones, in order. */
export function variantsOf(db: TenantDatabase, productId: string): Promise<VariantRow[]> {
  return db.query<VariantRow>(
    `select * from product_variants where tenant_id = $1 and product_id = $2 and deleted_at is null
      order by position, id`,
    [productId],
  );
}

/** Inserts variants in the order of their SKUs, so that concurrent writers of the same SKUs cannot deadlock. */
export async function insertVariants(db: TenantDatabase, variants: readonly NewVariant[]): Promise<void> {
  const ordered = [...variants].sort((one, other) => ((one.sku ?? '') < (other.sku ?? '') ? -1 : 1));
  const rows = ordered.map((variant) => ({ ...variant, metadata: json(variant.metadata) }));
  await db.insertMany('product_variants', rows);
}

/** Which of these SKUs undeleted variants have, other than variant `except`. */
export async function usedSkus(
  db: TenantDatabase,
  skus: readonly string[],
  except: string | null = null,
): Promise<string[]> {
  if (skus.length === 0) return [];
  const rows = await db.query<{ sku: string }>(
    `select sku from product_variants
      where tenant_id = $1 and sku = any($2) and deleted_at is null and ($3::uuid is null or id <> $3) order by sku`,
    [skus, except],
  );
  return rows.map(({ sku }) => sku);
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
