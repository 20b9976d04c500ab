/**
 * The media of products, in order: pictures above all, each for the entire product or for some of its variants.
 */
import { findMedia, Media, type MediaUse } from '@carton/media';
import { object, type Static, type TenantDatabase, Type, Uuid, withOptions } from '@carton/runtime';

/** The maximum number of media of a product. */
export const maxMedia = 100;

const variantIds = Type.Array(Uuid, {
  maxItems: 250,
  uniqueItems: true,
  description: 'The variants that it shows; empty for all',
  examples: [[]],
});

export const ProductMedia = object({ ...Media.properties, variantIds }, { $id: 'ProductMedia' });
export type ProductMedia = Static<typeof ProductMedia>;

const { altText } = Media.properties;
export const SetProductMedia = object(
  {
    media: Type.Array(
      object({
        mediaAssetId: Uuid,
        altText: Type.Optional(
          Type.Union([altText, Type.Null()], {
            description: 'In place of the alternative text of the asset',
            examples: [null],
          }),
        ),
        variantIds: Type.Optional(withOptions(variantIds, { default: [] })),
      }),
      { maxItems: maxMedia, description: 'In their order; the first picture represents the product in lists' },
    ),
  },
  { $id: 'SetProductMedia' },
);
export type SetProductMedia = Static<typeof SetProductMedia>;

/** A medium of a product as it is stored. */
export interface MediaEntry {
  id: string;
  altText: string | null;
  variantIds: string[];
}

/** The media of the row `product`, in order. */
export const mediaOfProduct = `(
  select coalesce(json_agg(medium), '[]')
    from (select media_asset_id as id, alt_text as "altText", variant_ids as "variantIds" from product_medias
           where tenant_id = $1 and product_id = product.id order by position) medium)`;

/** Assets by id. */
export type MediaAssets = ReadonlyMap<string, Static<typeof Media>>;

/** The assets of products, in one statement; without media in none. */
export function findMediaOf(
  db: TenantDatabase,
  documents: readonly { media: readonly MediaEntry[] }[],
): Promise<MediaAssets> {
  return findMedia(
    db,
    documents.flatMap(({ media }) => media.map(({ id }) => id)),
  );
}

export function presentMedia(entries: readonly MediaEntry[], assets: MediaAssets): ProductMedia[] {
  return entries.flatMap(({ id, altText, variantIds }) => {
    const asset = assets.get(id);
    return asset ? [{ ...asset, altText: altText ?? asset.altText, variantIds }] : [];
  });
}

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

export const productMediaUse: MediaUse = {
  noun: 'products',
  isUsed: async (tx, assetId) =>
    (await tx.query('select 1 from product_medias where tenant_id = $1 and media_asset_id = $2 limit 1', [assetId]))
      .length > 0,
};
