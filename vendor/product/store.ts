/**
 * Queries of products, options and variants as rows; whole products are read in documents.ts.
 */
import { freeHandle, json, type TenantDatabase } from '@carton/runtime';
import { rewriteTitleWords, writeTitleWords } from './title-words.ts';

export interface ProductRow {
  id: string;
  handle: string;
  title: string;
  description: string;
  status: 'draft' | 'published' | 'archived';
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

/** Locks a product for a change of it, its options or its variants; null when it is unknown or deleted. */
export async function lockProduct(db: TenantDatabase, id: string): Promise<ProductRow | null> {
  const [row] = await db.query<ProductRow>(
    'select * from products where tenant_id = $1 and id = $2 and deleted_at is null for update',
    [id],
  );
  return row ?? null;
}

export async function insertProduct(
  db: TenantDatabase,
  product: Omit<ProductRow, 'createdAt' | 'updatedAt'>,
): Promise<ProductRow> {
  const row = await db.insert<ProductRow>('products', { ...product, metadata: json(product.metadata) });
  await writeTitleWords(db, row.id);
  return row;
}

/** Changes a product that is not deleted, in a transaction. */
export async function updateProduct(
  db: TenantDatabase,
  id: string,
  patch: Partial<ProductRow> & { deletedAt?: Date },
): Promise<ProductRow> {
  const metadata = patch.metadata && json(patch.metadata);
  const [row] = await db.update<ProductRow>('products', { id }, { ...patch, metadata, updatedAt: new Date() });
  if (patch.title !== undefined || patch.status !== undefined || patch.deletedAt) await rewriteTitleWords(db, id);
  return row as ProductRow;
}

/** A handle that no product has which is not deleted. */
export function freeProductHandle(tx: TenantDatabase, stem: string): Promise<string> {
  return freeHandle(tx, 'products', stem, 'deleted_at is null');
}

/** The variants of a product that are not deleted, in order. */
export function variantsOf(db: TenantDatabase, productId: string): Promise<VariantRow[]> {
  return db.query<VariantRow>(
    `select * from product_variants where tenant_id = $1 and product_id = $2 and deleted_at is null
      order by position, id`,
    [productId],
  );
}

/** A variant that is not deleted. */
export async function findVariant(db: TenantDatabase, id: string): Promise<VariantRow | null> {
  const [row] = await db.query<VariantRow>(
    'select * from product_variants where tenant_id = $1 and id = $2 and deleted_at is null',
    [id],
  );
  return row ?? null;
}

/** Variants are written in the order of their SKUs: two writers of the same ones then wait, and never for each other. */
export async function insertVariants(db: TenantDatabase, variants: readonly NewVariant[]): Promise<void> {
  const ordered = [...variants].sort((one, other) => ((one.sku ?? '') < (other.sku ?? '') ? -1 : 1));
  const rows = ordered.map((variant) => ({ ...variant, metadata: json(variant.metadata) }));
  await db.insertMany('product_variants', rows);
}

export async function updateVariants(
  db: TenantDatabase,
  id: string | readonly string[],
  patch: Partial<VariantRow> & { deletedAt?: Date },
): Promise<void> {
  const metadata = patch.metadata && json(patch.metadata);
  await db.update('product_variants', { id }, { ...patch, metadata, updatedAt: new Date() });
}

/** Which of these SKUs variants have that are not deleted, other than variant `except`. */
export async function takenSkus(
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
