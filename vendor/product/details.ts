/**
 * Details of products and variants as rows have them: null where not set.
 */
import { distinctTags } from '@carton/runtime';
import type { Dimensions, ProductDetails } from './schemas.ts';

/** The details of a product, without those that are not set. */
export function detailsOf(product: Partial<ProductDetails>): ProductDetails {
  const { brand = null, type = null, tags = [], attributes = [], seoTitle = null, seoDescription = null } = product;
  return { brand, type, tags: distinctTags(tags), attributes, seoTitle, seoDescription };
}

/** The dimensions of a variant, null where not set. */
export function dimensionsOf({ length = null, width = null, height = null }: Partial<Dimensions>): Dimensions {
  return { length, width, height };
}
