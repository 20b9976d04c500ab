/**
 * Which sales to businesses of other EU countries have no tax. README.md of the package states the rules and their sources.
 */
import type { TaxExemption as Exemption, TotalsDraft } from '@carton/cart';
import { isMemberState, prefixOfTaxNumber, vatCountryOf, vatPlaceOf } from '@carton/runtime';
import { checkOf, type NumberRead } from './service.ts';

/**
 * The exemption of a sale whose buyer's number is proved; null for a sale with tax. Goods must leave the seller's member
 * state for another; without goods, the place of supply is the buyer's.
 * @param country ISO 3166-1 alpha-2: that of the store
 */
export function reverseChargeOf(
  { sale, lines }: TotalsDraft,
  read: NumberRead | null,
  country: string | null,
): Extract<Exemption, 'intra_community' | 'reverse_charge'> | null {
  if (!read || checkOf(read)?.status !== 'valid' || country === null) return null;
  const home = vatCountryOf(country);
  if (!isMemberState(home)) return null;
  const prefix = prefixOfTaxNumber(read.question.number);
  const buyer = prefix === 'EL' ? 'GR' : prefix;
  if (buyer === null || buyer === home) return null;
  const isGoods = ({ requiresShipping = true }: TotalsDraft['lines'][number]) => requiresShipping;
  if (!lines.some(isGoods)) {
    // Northern Ireland is in the EU for goods only.
    return isMemberState(buyer) ? 'reverse_charge' : null;
  }
  if (!isMemberState(buyer) && !lines.every(isGoods)) return null;
  const place = sale.shippingAddress && vatPlaceOf(sale.shippingAddress);
  return place !== null && place !== home ? 'intra_community' : null;
}
