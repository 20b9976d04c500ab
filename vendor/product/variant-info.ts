/**
 * What other packages know of a variant.
 */
import type { ProductStatus } from './schemas.ts';

/** A variant as far as selling, stocking and pricing it go. */
export interface VariantInfo {
  id: string;
  productId: string;
  sku: string | null;
  title: string;
  productTitle: string;
  productHandle: string;
  productStatus: ProductStatus;
  /** Grams. */
  weight: number | null;
  /** The variant or its product was deleted: it is known for the sake of old orders, and not for sale. */
  deleted: boolean;
  /** The viewer it was read for does not see its product: it is not for sale to them. False when read for nobody. */
  hidden: boolean;
}

/** True for a variant that the viewer it was read for may buy. */
export function isForSale({ deleted, hidden, productStatus }: VariantInfo): boolean {
  return !deleted && !hidden && productStatus === 'published';
}
