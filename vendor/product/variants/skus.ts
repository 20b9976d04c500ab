/**
 * SKUs, which are compared as codes of promotions are: without regard to case, width and characters that are not shown.
 * Earlier releases told more of them apart, so that a store may have some that are the same by now: these stay, and only new
 * ones are refused. That is why no unique index holds the rule, but a lock on each SKU that is written. The words of
 * products find the SKUs that may be the same.
 */
import { type TenantDatabase, withoutInvisible, writtenLine } from '@carton/runtime';
import { skuTaken } from '../problems.ts';
import { skuKey, skuWord } from '../search/words.ts';
import { listSkus, lockSkus, type StoredSku } from './store.ts';

/** A SKU as it is stored: without characters that are not shown, which copied texts have. */
export function storedSku(sku: string): string {
  return writtenLine(withoutInvisible(sku)) ?? sku;
}

/** The variants with one of these SKUs, however they are written. */
export async function variantsWithSkus(db: TenantDatabase, skus: readonly string[]): Promise<StoredSku[]> {
  if (skus.length === 0) return [];
  // As they are written, in capitals and in small letters also while words of earlier releases are not written yet.
  const written = skus.flatMap((sku) => [sku, sku.toUpperCase(), sku.toLowerCase()]);
  const keys = new Set(skus.map(skuKey));
  const found = await listSkus(db, written, skus.map(skuWord));
  return found.filter(({ sku }) => keys.has(skuKey(sku)));
}

/**
 * Verifies that no other variant has the SKUs that are about to be written.
 * @param except a variant that is changed
 * @throws sku_taken (409) naming the SKUs
 */
export async function rejectUsedSkus(
  tx: TenantDatabase,
  variants: readonly { sku: string | null }[],
  except: string | null = null,
): Promise<void> {
  const skus = variants.flatMap(({ sku }) => (sku === null ? [] : [sku]));
  if (skus.length === 0) return;
  await lockSkus(tx, skus.map(skuKey));
  const used = (await variantsWithSkus(tx, skus)).filter(({ id }) => id !== except).map(({ sku }) => sku);
  if (used.length > 0) throw skuTaken(`Other variants already have: ${[...new Set(used)].sort().join(', ')}.`);
}
