/**
 * Queries of the table `product_medias`.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { MediaEntry } from '../reads/store.ts';

/** Inserts the media of a product, which has none, in their order. */
export async function insertMedia(tx: TenantDatabase, productId: string, media: readonly MediaEntry[]): Promise<void> {
  await tx.insertMany(
    'product_medias',
    media.map(({ id, altText, variantIds }, position) => ({
      productId,
      mediaAssetId: id,
      position,
      altText,
      variantIds,
    })),
  );
}

/** Frees the assets of a product. */
export async function removeMedia(tx: TenantDatabase, productId: string): Promise<void> {
  await tx.remove('product_medias', { productId });
}

/** Media of a deleted variant alone are then those of the product. */
export async function forgetVariant(
  tx: TenantDatabase,
  { id, productId }: { id: string; productId: string },
): Promise<void> {
  await tx.query(
    `update product_medias set variant_ids = array_remove(variant_ids, $3)
      where tenant_id = $1 and product_id = $2 and $3 = any(variant_ids)`,
    [productId, id],
  );
}

/** Whether a product has the asset. */
export async function isAssetUsed(tx: TenantDatabase, assetId: string): Promise<boolean> {
  const found = await tx.query('select 1 from product_medias where tenant_id = $1 and media_asset_id = $2 limit 1', [
    assetId,
  ]);
  return found.length > 0;
}
