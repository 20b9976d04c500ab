/**
 * The VAT categories of EN 16931: each amount has exactly one, with a rate. Taxes of a store are said in them where they
 * are a VAT; others have no form in the standard.
 */
import { isMemberState, vatCountryOf, vatPlaceOf } from '@carton/runtime';
import type { InvoiceContent, TaxGroup } from '../content.ts';
import { electronicInvoiceNotPossible } from '../problems.ts';

/** A category (UNTDID 5305) with its rate. */
export interface Category {
  /**
   * S: taxed; Z: at a rate of zero; K: supply within the European Union; AE: the buyer owes the tax; E: exempt; G: export;
   * O: not subject to VAT.
   */
  code: 'S' | 'Z' | 'K' | 'AE' | 'E' | 'G' | 'O';
  /** Per cent; null for O, which has none. */
  rate: number | null;
  /** Why there is no tax: a code of the list VATEX, if it has one for the case, and a text. Null if no reason is needed. */
  reason: { code: string | null; text: string } | null;
}

/** Why a sale has no tax, as documents store it. */
export type Exemption = 'intra_community' | 'reverse_charge' | 'exempt_member';

const exempt: Readonly<Record<Exemption | 'export' | 'outside', Category>> = {
  intra_community: { code: 'K', rate: 0, reason: { code: 'VATEX-EU-IC', text: 'Intra-Community supply' } },
  reverse_charge: { code: 'AE', rate: 0, reason: { code: 'VATEX-EU-AE', text: 'Reverse charge' } },
  exempt_member: { code: 'E', rate: 0, reason: { code: null, text: 'The buyer is exempt from VAT' } },
  export: { code: 'G', rate: 0, reason: { code: 'VATEX-EU-G', text: 'Export outside the EU' } },
  outside: { code: 'O', rate: null, reason: { code: 'VATEX-EU-O', text: 'Not subject to VAT' } },
};

/** Of whom and of what the categories depend, besides the taxes. */
export interface Supply {
  exemption: Exemption | null;
  hasVatNumber: boolean;
  sellerCountry: string;
  /** Where the goods go; null if unknown. */
  destination: string | null;
}

/**
 * The category of each group of taxes.
 * @throws electronic_invoice_not_possible (409) for several taxes that apply together, one without a rate, and what is not
 * taxed for no reason
 */
export function categoriesOf(
  { taxGroups, delivery, buyer }: Pick<InvoiceContent, 'taxGroups' | 'delivery' | 'buyer'>,
  supply: Supply,
): (() => Category)[] {
  const lines = delivery.length > 0 ? delivery : buyer.address;
  // Groups of which the document has no amount need no category.
  return taxGroups.map((group) => () => categoryOf(group, supply, lines));
}

/** A postal code of five digits, as in all countries with places outside the territory of VAT, or one of Northern Ireland. */
const postalCode = /\b(?:\d{3} ?\d{2}|BT\d{1,2} ?\d[A-Z]{2})\b/gi;

/**
 * The member state, or Northern Ireland, of an address; null outside the territory of VAT. Documents store addresses as lines
 * of text: the last code is that of the place, those before it are of streets and boxes.
 */
function placeOf(country: string, lines: readonly string[]): string | null {
  const code = lines.flatMap((line) => line.match(postalCode) ?? []).at(-1);
  return vatPlaceOf({ country, postalCode: code });
}

function categoryOf(
  group: TaxGroup,
  { exemption, hasVatNumber, sellerCountry, destination }: Supply,
  lines: readonly string[],
): Category {
  const [tax, ...others] = group;
  if (others.length > 0) {
    const labels = group.map(({ label }) => label).join(' and ');
    throw electronicInvoiceNotPossible(`Several taxes apply to the same amount: ${labels}. The standard has one VAT.`);
  }
  if (tax && tax.rate === null) throw electronicInvoiceNotPossible(`The tax ${tax.label} has no single rate.`);
  if (!hasVatNumber && (tax || exemption !== null)) {
    throw electronicInvoiceNotPossible('The seller has no VAT number: set vatNumber of the store, with its country.');
  }
  if (tax?.rate) return { code: 'S', rate: tax.rate, reason: null };
  if (exemption !== null) return exempt[exemption];
  if (tax) return { code: 'Z', rate: 0, reason: null };
  if (!hasVatNumber) return exempt.outside;
  if (isMemberState(vatCountryOf(sellerCountry)) && destination !== null) {
    const place = placeOf(destination, lines);
    if (place === null) return exempt.export;
    if (place === 'XI') {
      throw electronicInvoiceNotPossible(
        'Goods to Northern Ireland are no export: add a tax rate of GB for the postal codes BT*.',
      );
    }
  }
  throw electronicInvoiceNotPossible('Amounts without a tax have no reason for it: give them a tax with a rate of 0.');
}
