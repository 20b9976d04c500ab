/**
 * Rules of the media of a product, in order: pictures above all, each for the entire product or for some of its variants.
 * They are replaced as a whole.
 */
import { holdMediaAssets, type MediaUse } from '@carton/media';
import { invalidField, type TenantDatabase } from '@carton/runtime';
import { publishProductChange } from '../events.ts';
import type { AdminProduct } from '../reads/schemas.ts';
import { readAdminProduct } from '../reads/service.ts';
import { products, variantsOf } from '../store.ts';
import type { SetProductMedia } from './schemas.ts';
import { insertMedia, isAssetUsed, removeMedia } from './store.ts';

/**
 * Replaces the media of a product.
 * @throws not_found (404), invalid_request (400) for an unknown asset or variant, or an asset or variant that is listed twice
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
      const shown = variantIds.map((variantId) => variantId.toLowerCase());
      for (const [place, variantId] of shown.entries()) {
        const pointer = `/media/${at}/variantIds/${place}`;
        if (!variants.has(variantId)) throw invalidField(pointer, 'is not the id of a variant of this product');
        if (shown.indexOf(variantId) < place) throw invalidField(pointer, 'is a duplicate');
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

export const productMediaUse: MediaUse = { noun: 'products', isUsed: isAssetUsed };
