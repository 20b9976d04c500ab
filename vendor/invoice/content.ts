/**
 * What is printed on an invoice or a credit note, as it is stored with it: later changes of the store, the order or the
 * products change nothing. Amounts are minor units of its currency; those of a credit note are the amounts credited,
 * zero or above.
 */

import type { Order } from '@carton/order';

export const invoiceKinds = ['invoice', 'credit_note'] as const;
export type InvoiceKind = (typeof invoiceKinds)[number];

export interface TaxOfRate {
  code: string;
  label: string;
  /** Per cent; null without a single rate. */
  rate: number | null;
  /** Whether prices contain the tax. */
  included: boolean;
}

/** Taxes that apply together to the same net amounts: usually one, none for what is not taxed. */
export type TaxGroup = readonly TaxOfRate[];

/** The part of a line that has the same taxes; a shipping charge may have several parts. */
export interface LinePart {
  /** Position in `taxGroups`. */
  group: number;
  net: number;
  /** The amount of each tax of the group. */
  taxes: number[];
}

/** A line or a shipping charge of the order. */
export interface ContentLine {
  /** Null for a shipping charge. */
  lineItemId: string | null;
  shippingCode: string | null;
  /** Id of the order's adjustment that a shipping charge is. Absent on documents of earlier releases. */
  chargeId?: string | null;
  title: string;
  variantTitle: string | null;
  sku: string | null;
  /**
   * Whether it reaches the buyer without a parcel, as a download; of a shipping charge, whether all lines do. Absent on
   * documents of earlier releases.
   */
  service?: boolean;
  /** Of a credit note: units credited; zero for a reduction of the price. */
  quantity: number;
  /** Null for a shipping charge. */
  unitAmount: number | null;
  /** Its discounts, with its share of those of the entire order; zero or below. Zero on a credit note. */
  discount: number;
  /** Its share of credits of the order, which reduce what is to be paid and not the taxed amounts; zero or below. */
  credit: number;
  /** Its share of what the total was rounded by, which is not taxed. Absent on documents of earlier releases. */
  rounding?: number;
  parts: LinePart[];
}

/** The parts of an address for electronic documents, besides its country. */
export interface AddressParts {
  /** Street, house and what else is written in lines of its own. */
  lines: string[];
  city: string | null;
  postalCode: string | null;
  province: string | null;
}

export interface InvoiceContent {
  /** BCP 47 */
  locale: string;
  seller: {
    name: string;
    logoUrl: string | null;
    legalName: string;
    address: string[];
    vatNumber: string | null;
    /** Absent on documents of earlier releases. */
    registrationNumber?: string | null;
    note: string | null;
  };
  buyer: {
    /** Of a person; if there is a company, whom to ask for there. */
    name: string | null;
    /** The company that buys. Absent on documents of earlier releases, which have it in the address only. */
    company?: string | null;
    email: string;
    address: string[];
    /** Null for an address in free text. Absent on documents of earlier releases. */
    parts?: AddressParts | null;
    /** As it is printed: stated by staff, else that of the order. */
    vatNumber: string | null;
    /** The same. Absent on documents of earlier releases. */
    taxNumber?: string | null;
  };
  /** Why the order has no tax. Absent on documents of earlier releases. */
  taxExemption?: Order['taxExemption'];
  /** Whether what is delivered leaves the territory of VAT (page/untaxed.ts). Absent on documents of earlier releases. */
  leavesUnion?: boolean;
  /** Lines of the address of delivery; none if it is the buyer's. */
  delivery: string[];
  /** Also of the buyer's address; null for one in free text. Absent on documents of earlier releases. */
  deliveryParts?: AddressParts | null;
  orderNumber: string;
  /** Days in the time zone of the store: `2026-11-22`. */
  orderedOn: string;
  issuedOn: string;
  suppliedOn: string | null;
  /** Of an invoice of charges that were added later: the order's invoice. Absent on documents of earlier releases. */
  addsTo?: { number: string; issuedOn: string } | null;
  /** Of a credit note. */
  corrects: { number: string; issuedOn: string } | null;
  /** Of a credit note. */
  reason: string | null;
  note: string | null;
  /**
   * ISO 3166-1 alpha-2 of the addresses, which are lines of text; null for one that is not recognised, or is not there.
   * Absent on documents of earlier releases.
   */
  countries?: { seller: string | null; buyer: string | null; delivery: string | null };
  taxGroups: TaxGroup[];
  lines: ContentLine[];
  /**
   * What was received for it when it was issued, and the day of the last payment; null for nothing, and on credit notes.
   * Absent on documents of earlier releases.
   */
  paid?: { amount: number; on: string } | null;
  /** The sum of what the lines were rounded by; zero if nothing was. Absent on documents of earlier releases. */
  rounding?: number;
}

/**
 * The name and the address of a buyer, as they are printed. The address often has the name, not always first; otherwise it
 * precedes the address, or follows the company that the address begins with.
 */
export function buyerLines({ name, company = null, address }: InvoiceContent['buyer']): string[] {
  if (name === null || name === company || address.includes(name)) return address;
  return address.toSpliced(company !== null && address[0] === company ? 1 : 0, 0, name);
}

/** The sums of a part, a group of taxes or a whole invoice. */
export interface Sums {
  net: number;
  tax: number;
  gross: number;
}

/** A group of taxes with its sums. */
export interface TaxGroupSums extends Sums {
  taxes: (TaxOfRate & { amount: number })[];
}

const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The sums of parts. */
export function sumsOf(parts: readonly LinePart[]): Sums {
  const net = sumOf(parts.map((part) => part.net));
  const tax = sumOf(parts.flatMap(({ taxes }) => taxes));
  return { net, tax, gross: net + tax };
}

/** The sums of each group of taxes, in the order of the groups. */
export function sumsByGroup({ taxGroups, lines }: Pick<InvoiceContent, 'taxGroups' | 'lines'>): TaxGroupSums[] {
  const parts = lines.flatMap((line) => line.parts);
  return taxGroups.map((group, position) => {
    const own = parts.filter((part) => part.group === position);
    const taxes = group.map((tax, at) => ({ ...tax, amount: sumOf(own.map((part) => part.taxes[at] ?? 0)) }));
    return { taxes, ...sumsOf(own) };
  });
}

/** The sums of all lines, and what is to be paid: the gross amount less credits, rounded. */
export function totalsOf(lines: readonly ContentLine[]): Sums & { credit: number; rounding: number; total: number } {
  const sums = sumsOf(lines.flatMap(({ parts }) => parts));
  const credit = sumOf(lines.map((line) => line.credit));
  const rounding = sumOf(lines.map((line) => line.rounding ?? 0));
  return { ...sums, credit, rounding, total: sums.gross + credit + rounding };
}
