/**
 * Queries of products and variants as rows; documents.ts reads complete products.
 */
import {
  distinctTags,
  freeHandle,
  json,
  leaveHandle,
  moveAddress,
  type OldHandles,
  rows,
  type TenantDatabase,
  takeHandle,
} from '@carton/runtime';
import { published, type RawCondition } from './conditions-store.ts';
import type { Dimensions, ProductDetails } from './details.ts';
import type { QuantityRule } from './quantities.ts';
import { noteNextChange, type Schedule } from './schedule/service.ts';
import type { ProductStatus } from './schemas.ts';
import { rewriteTitleWords, writeTitleWords } from './search/matches-store.ts';
import { putTags } from './tags/service.ts';

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

export type NewProduct = Omit<ProductRow, 'createdAt' | 'updatedAt' | keyof Schedule> & Partial<Schedule>;

/** Inserts a product in a transaction. */
export async function insertProduct(db: TenantDatabase, product: NewProduct): Promise<void> {
  await products.insert(db, product);
  await takeHandle(db, oldHandles, product);
  await writeTitleWords(db, product);
  await putTags(db, product.id, product.tags);
  if (product.publishAt || product.unpublishAt) await noteNextChange(db, product.id);
}

/** Whether shoppers see the product now, unless a package hides it. */
async function isPublished(db: TenantDatabase, id: string): Promise<boolean> {
  const found = await db.query(`select 1 from products where tenant_id = $1 and id = $2 and ${published}`, [id]);
  return found.length > 0;
}

const oldHandles: OldHandles = { table: 'product_old_handles', owner: 'productId', isShown: isPublished };

/**
 * Changes a locked product in a transaction. Its old handle leads to it from now on, and so does its old address if
 * shoppers knew it and see the new one.
 */
export async function updateProduct(
  db: TenantDatabase,
  { id, handle }: Pick<ProductRow, 'id' | 'handle'>,
  patch: Partial<ProductRow>,
): Promise<ProductRow> {
  const wasPublished = patch.handle !== undefined && patch.handle !== handle && (await isPublished(db, id));
  const row = await products.change(db, id, { ...patch, ...(patch.tags && { tags: distinctTags(patch.tags) }) });
  if (patch.tags) await putTags(db, id, row.tags);
  if (row.handle !== handle) {
    await takeHandle(db, oldHandles, row);
    await leaveHandle(db, oldHandles, { id, handle, wasShown: wasPublished });
    if (wasPublished && (await isPublished(db, id))) {
      await moveAddress(db, { from: `/products/${handle}`, to: `/products/${row.handle}` });
    }
  }
  if (patch.title !== undefined || patch.status !== undefined) await rewriteTitleWords(db, id);
  if ([patch.status, patch.publishAt, patch.unpublishAt].some((field) => field !== undefined)) {
    await noteNextChange(db, id);
  }
  return row;
}

/**
 * Soft deletes a product and its variants, in a transaction: their handle and SKUs become available.
 * @returns the ids of these variants
 */
export async function removeProduct(db: TenantDatabase, id: string): Promise<string[]> {
  const now = new Date();
  await products.remove(db, id);
  await db.remove('product_old_handles', { productId: id });
  await putTags(db, id, []);
  const condition = { productId: id, deletedAt: null };
  const variants = await db.update<VariantRow>('product_variants', condition, { deletedAt: now, updatedAt: now });
  await rewriteTitleWords(db, id);
  return variants.map((variant) => variant.id);
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
