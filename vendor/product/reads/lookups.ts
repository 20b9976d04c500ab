/**
 * What other packages see of a variant.
 */
import type { QuantityRule } from '../quantities.ts';
import type { ProductStatus } from '../schemas.ts';

/** A variant as needed to sell, stock and price it. */
export interface VariantInfo extends QuantityRule {
  id: string;
  productId: string;
  sku: string | null;
  title: string;
  productTitle: string;
  productHandle: string;
  productStatus: ProductStatus;
  /** Its product is published, and the time is within its schedule. */
  published: boolean;
  /** Code of the product's tax category; null for the default category. */
  taxCategory: string | null;
  /** Code of the product's shipping profile; null for the default profile. */
  shippingProfile: string | null;
  /** Grams. */
  weight: number | null;
  /** False for what reaches the shopper without a parcel: a download, a service. */
  requiresShipping: boolean;
  /** The variant or its product is deleted: it still exists for old orders, but is not for sale. */
  deleted: boolean;
  /** The viewer may not see its product, so it is not for sale to them. False without a viewer. */
  hidden: boolean;
}

/** True for a variant that the viewer may buy. */
export function isForSale({ deleted, hidden, published }: VariantInfo): boolean {
  return !deleted && !hidden && published;
}
