/**
 * The VAT categories of EN 16931: each amount has exactly one, with a rate. Taxes of a store are said in them where they
 * are a VAT; others have no form in the standard.
 */
import { isMemberState, vatCountryOf } from '@carton/runtime';
import type { InvoiceContent, TaxGroup } from '../content.ts';
import { destinationOf, leavesUnion, placeOf, type Untaxed, untaxedAs } from '../page/untaxed.ts';
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

const exempt: Readonly<Record<Exemption | Untaxed | 'no_number', Category>> = {
  intra_community: { code: 'K', rate: 0, reason: { code: 'VATEX-EU-IC', text: 'Intra-Community supply' } },
  reverse_charge: { code: 'AE', rate: 0, reason: { code: 'VATEX-EU-AE', text: 'Reverse charge' } },
  exempt_member: { code: 'E', rate: 0, reason: { code: null, text: 'The buyer is exempt from VAT' } },
  export: { code: 'G', rate: 0, reason: { code: 'VATEX-EU-G', text: 'Export outside the EU' } },
  outside_union: {
    code: 'O',
    rate: null,
    reason: { code: 'VATEX-EU-O', text: 'Not subject to VAT: supplied outside the European Union' },
  },
  no_number: { code: 'O', rate: null, reason: { code: 'VATEX-EU-O', text: 'Not subject to VAT' } },
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
export function categoriesOf(content: InvoiceContent, supply: Supply): (() => Category)[] {
  // Groups of which the document has no amount need no category.
  return content.taxGroups.map((group, at) => () => categoryOf(group, supply, () => untaxedGroup(at, content, supply)));
}

function categoryOf(
  group: TaxGroup,
  { exemption, hasVatNumber }: Pick<Supply, 'exemption' | 'hasVatNumber'>,
  untaxed: () => Category,
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
  return hasVatNumber ? untaxed() : exempt.no_number;
}

/** The category of amounts without a tax, of a seller with a VAT number. */
function untaxedGroup(at: number, content: InvoiceContent, { sellerCountry, destination: country }: Supply): Category {
  const isOfUnion = isMemberState(vatCountryOf(sellerCountry));
  // Documents of earlier releases know neither the place nor what is a service.
  const destination = { ...destinationOf(content), country };
  const leaves = content.leavesUnion ?? leavesUnion({ country: sellerCountry, vatNumber: '' }, destination);
  if (leaves) {
    const lines = content.lines.filter(({ parts }) => parts.some(({ group, net }) => group === at && net !== 0));
    const [reason = 'export', ...others] = new Set(lines.map(untaxedAs));
    if (others.length === 0) return exempt[reason];
    throw electronicInvoiceNotPossible(
      'Goods and services are supplied outside the European Union: the standard has no form for both in one document.',
    );
  }
  if (isOfUnion && placeOf(destination) === 'XI') {
    throw electronicInvoiceNotPossible(
      'Goods to Northern Ireland are no export: add a tax rate of GB for the postal codes BT*.',
    );
  }
  throw electronicInvoiceNotPossible('Amounts without a tax have no reason for it: give them a tax with a rate of 0.');
}
