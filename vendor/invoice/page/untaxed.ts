/**
 * Why amounts have no tax although their order is not exempt: a seller in the European Union supplies them outside its
 * territory of VAT. Goods are exported (Directive 2006/112/EC, Article 146); services are not subject to VAT there (Articles
 * 44 to 59). The page, the PDF and electronic documents say the same.
 */
import { isMemberState, vatCountryOf, vatPlaceOf } from '@carton/runtime';
import type { AddressParts, ContentLine, InvoiceContent } from '../content.ts';

export type Untaxed = 'export' | 'outside_union';

/** Where goods go or services are supplied. */
export interface Destination {
  /** ISO 3166-1 alpha-2; null if unknown. */
  country: string | null;
  /** Null for an address in free text. */
  parts: AddressParts | null;
  /** As it is printed. */
  lines: readonly string[];
}

/** The address of delivery; that of the buyer if the document states no other. */
export function destinationOf({
  buyer,
  delivery,
  deliveryParts = null,
  countries,
}: Pick<InvoiceContent, 'buyer' | 'delivery' | 'deliveryParts' | 'countries'>): Destination {
  if (delivery.length > 0) return { country: countries?.delivery ?? null, parts: deliveryParts, lines: delivery };
  return { country: countries?.buyer ?? null, parts: buyer.parts ?? null, lines: buyer.address };
}

/** A postal code of five digits, as in all countries with places outside the territory of VAT, or one of Northern Ireland. */
const postalCodes = /\b(?:\d{3} ?\d{2}|BT\d{1,2} ?\d[A-Z]{2})\b/gi;

/**
 * The member state, or Northern Ireland (`XI`), of an address; null outside the territory of VAT. In free text the last code
 * is that of the place: those before it are of streets and boxes.
 */
export function placeOf({ country, parts, lines }: Destination): string | null {
  if (parts) return vatPlaceOf({ country, postalCode: parts.postalCode, province: parts.province });
  return vatPlaceOf({ country, postalCode: lines.flatMap((line) => line.match(postalCodes) ?? []).at(-1) });
}

/**
 * Whether what is delivered to an address leaves the territory of VAT of the seller; false for sellers elsewhere, for those
 * without a VAT number, who charge no VAT at all, and where the country is unknown.
 */
export function leavesUnion(
  seller: { country: string | null; vatNumber: string | null },
  destination: Destination,
): boolean {
  if (seller.country === null || seller.vatNumber === null || destination.country === null) return false;
  return isMemberState(vatCountryOf(seller.country)) && placeOf(destination) === null;
}

/** Why a line that leaves the union has no tax. */
export const untaxedAs = ({ service = false }: ContentLine): Untaxed => (service ? 'outside_union' : 'export');

/** Why amounts of a document have no tax, each reason once; none for one of an exempt order, or with taxes alone. */
export function untaxedOf({ lines, taxGroups, leavesUnion = false, taxExemption = null }: InvoiceContent): Untaxed[] {
  if (!leavesUnion || taxExemption !== null) return [];
  const untaxed = lines.filter(({ parts }) => parts.some(({ group, net }) => net !== 0 && !taxGroups[group]?.length));
  return [...new Set(untaxed.map(untaxedAs))].sort();
}
