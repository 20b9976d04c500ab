/**
 * The addresses of assets, and assets with them.
 */
import { variantsOf } from '../pictures/variants.ts';
import { extensionOf } from '../types.ts';
import type { MediaAsset, MediaAssetRow } from './schemas.ts';

/** The last part of the address of the original. */
export function originalName({ mediaType }: Pick<MediaAssetRow, 'mediaType'>): string {
  return `original.${extensionOf(mediaType)}`;
}

/** An asset as callers see it. */
export function present(asset: MediaAssetRow): MediaAsset {
  const urlOf = (name: string) => `/media/${asset.id}/${name}`;
  return {
    ...asset,
    url: urlOf(originalName(asset)),
    variants: variantsOf(asset).map(({ name, ...variant }) => ({ ...variant, url: urlOf(name) })),
  };
}
