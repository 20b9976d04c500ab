/**
 * Whether what a sale costs contains its taxes.
 */
import type { TotalsDraft } from '@carton/cart';

/** Of the goods, and of shipping charges with the fees of payment methods. */
export function includedIn(region: TotalsDraft['region']): { goods: boolean; charges: boolean } {
  const goods = region?.taxInclusive ?? false;
  return { goods, charges: region?.shippingTaxInclusive ?? goods };
}
