/**
 * The rule of the media of a product: they are replaced as a whole.
 */
import { holdMediaAssets } from '@carton/media';
import { invalidField, type TenantDatabase } from '@carton/runtime';
import { insertMedia, removeMedia, type SetProductMedia } from './media.ts';
import type { AdminProduct } from './schemas.ts';
import { publishProductChange, readAdminProduct } from './service.ts';
import { products, variantsOf } from './store.ts';

/**
 * Replaces the media of a product.
 * @throws not_found (404), invalid_request (400) for an unknown asset or variant, or an asset that is listed twice
 */
export function setMedia(db: TenantDatabase, productId: string, { media }: SetProductMedia): Promise<AdminProduct> {
  return db.transaction(async (tx) => {
    await products.lock(tx, productId);
    const ids = media.map(({ mediaAssetId }) => mediaAssetId.toLowerCase());
    const held = await holdMediaAssets(tx, ids);
    const variants = new Set((await variantsOf(tx, productId)).map(({ id }) => id));
    for (const [at, { variantIds = [] }] of media.entries()) {
      const id = ids[at] as string;
      if (!held.has(id)) throw invalidField(`/media/${at}/mediaAssetId`, 'is not the id of a media asset');
      if (ids.indexOf(id) < at) throw invalidField(`/media/${at}/mediaAssetId`, 'is a duplicate');
      const unknown = variantIds.findIndex((variantId) => !variants.has(variantId.toLowerCase()));
      if (unknown >= 0) {
        throw invalidField(`/media/${at}/variantIds/${unknown}`, 'is not the id of a variant of this product');
      }
    }
    await removeMedia(tx, productId);
    await insertMedia(
      tx,
      productId,
      media.map(({ altText = null, variantIds = [] }, at) => ({ id: ids[at] as string, altText, variantIds })),
    );
    await publishProductChange(tx, await products.change(tx, productId, {}));
    return readAdminProduct(tx, productId);
  });
}
