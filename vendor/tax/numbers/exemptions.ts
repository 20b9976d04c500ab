/**
 * Which sales to businesses of other EU countries have no tax. README.md of the package states the rules and their sources.
 */
import type { TaxExemption as Exemption, TotalsDraft } from '@carton/cart';
import { prefixOfTaxNumber } from '@carton/runtime';
import { checkOf, type NumberRead } from './service.ts';

/** ISO 3166-1 alpha-2. */
const memberStates = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** Postal codes of Northern Ireland, whose goods are in the EU's system of VAT. */
const northernIreland = /^\s*BT\d/i;

/** The member state, or Northern Ireland (`XI`), to which an address belongs as far as goods are concerned; else null. */
function placeOfGoods(country: string | null, postalCode: string | null | undefined): string | null {
  if (country === 'GB') return northernIreland.test(postalCode ?? '') ? 'XI' : null;
  return country !== null && memberStates.has(country) ? country : null;
}

/**
 * The exemption of a sale whose buyer's number is proved; null for a sale with tax. Goods must leave the seller's member
 * state for another; without goods, the place of supply is the buyer's.
 * @param home ISO 3166-1 alpha-2: the country of the store
 */
export function reverseChargeOf(
  { sale, lines }: TotalsDraft,
  read: NumberRead | null,
  home: string | null,
): Extract<Exemption, 'intra_community' | 'reverse_charge'> | null {
  if (!read || checkOf(read)?.status !== 'valid' || home === null || !memberStates.has(home)) return null;
  const prefix = prefixOfTaxNumber(read.question.number);
  const buyer = prefix === 'EL' ? 'GR' : prefix;
  if (buyer === null || buyer === home) return null;
  const isGoods = ({ requiresShipping = true }: TotalsDraft['lines'][number]) => requiresShipping;
  if (!lines.some(isGoods)) {
    // Northern Ireland is in the EU for goods only.
    return memberStates.has(buyer) ? 'reverse_charge' : null;
  }
  if (!memberStates.has(buyer) && !lines.every(isGoods)) return null;
  const address = sale.shippingAddress;
  const place = placeOfGoods(address?.country ?? null, address?.postalCode);
  return place !== null && place !== home ? 'intra_community' : null;
}
