/**
 * An invoice or a credit note in the terms of EN 16931, from which its formats are written. Amounts are minor units.
 *
 * The standard describes one VAT for each amount, sums of at most two decimals, and parties with a country and a number.
 * What it has no form for is refused, so that no document says something else than what was sold.
 */
import {
  divideRounded,
  hundredPercent,
  inLanguages,
  minorUnitDigits,
  scalePercent,
  translationFor,
} from '@carton/runtime';
import { type InvoiceContent, type InvoiceKind, sumsOf, totalsOf } from '../content.ts';
import { invoicePhrases } from '../page/phrases.ts';
import { electronicInvoiceNotPossible } from '../problems.ts';
import type { InvoiceRow } from '../store.ts';
import { type Category, categoriesOf } from './categories.ts';
import { type ElectronicCharge, type ElectronicLine, linesAndChargesOf } from './lines.ts';
import { type Address, buyerOf, deliveryOf, type Party, sellerOf } from './parties.ts';

export interface ElectronicInvoice {
  kind: InvoiceKind;
  number: string;
  issuedOn: string;
  suppliedOn: string | null;
  currency: string;
  orderNumber: string;
  /** The invoice that a credit note corrects, or to which another adds. */
  preceding: { number: string; issuedOn: string } | null;
  notes: string[];
  /** Null if nothing is to be paid. */
  terms: string | null;
  /** Of an allowance of a line, in the language of the document. */
  discountReason: string;
  seller: Party;
  buyer: Party;
  delivery: Address | null;
  lines: ElectronicLine[];
  charges: ElectronicCharge[];
  taxes: CategorySums[];
  totals: ElectronicTotals;
}

/** What has the same category and rate. */
export interface CategorySums {
  category: Category;
  net: number;
  tax: number;
}

/** `payable` is `gross - prepaid + rounding`. */
export interface ElectronicTotals {
  /** Of the lines alone. */
  lines: number;
  /** Of charges above zero, and of those below, as an amount above zero. */
  charges: number;
  allowances: number;
  net: number;
  tax: number;
  gross: number;
  /** What was received when the document was issued, and what gift cards and credits have paid. */
  prepaid: number;
  rounding: number;
  payable: number;
}

const phrases = inLanguages((language) => invoicePhrases[language]);

export type Issued = Pick<InvoiceRow, 'kind' | 'number' | 'currency' | 'content'>;

/**
 * @throws electronic_invoice_not_possible (409) for what EN 16931 has no form for; its detail says what is missing
 */
export function electronicOf({ kind, number, currency, content }: Issued): ElectronicInvoice {
  if (minorUnitDigits(currency) > 2) {
    throw electronicInvoiceNotPossible(`Amounts have at most two decimals, and those of ${currency} have more.`);
  }
  const { taxExemption = null } = content;
  const seller = sellerOf(content);
  const buyer = buyerOf(content);
  const delivery = deliveryOf(content, buyer);
  const categories = categoriesOf(content, {
    exemption: taxExemption,
    hasVatNumber: seller.vatNumber !== null,
    sellerCountry: seller.address.country,
    destination: delivery?.country ?? null,
  });
  const { lines, charges } = linesAndChargesOf(content, categories);
  const taxes = taxesOf(content, categories, currency);
  for (const { category } of taxes) requireWhatItNeeds(category, content, buyer, delivery);
  const { texts } = translationFor(phrases, [content.locale]);
  const totals = electronicTotals(content, { lines, charges });
  const note = [content.note, content.reason].flatMap((text) => text ?? []);
  return {
    kind,
    number,
    issuedOn: content.issuedOn,
    suppliedOn: content.suppliedOn,
    currency,
    orderNumber: content.orderNumber,
    preceding: content.corrects ?? content.addsTo ?? null,
    notes: note,
    // What is to be paid needs terms. Those of the store are free text.
    terms: totals.payable > 0 ? (content.seller.note ?? texts.terms) : null,
    discountReason: texts.discount,
    ...partiesBeside(taxes, seller, buyer),
    delivery,
    lines,
    charges,
    taxes,
    totals,
  };
}

/** The standard has no VAT number, and no other category, beside what is not subject to VAT (BR-O-02, BR-O-11). */
function partiesBeside(taxes: readonly CategorySums[], seller: Party, buyer: Party): Record<'seller' | 'buyer', Party> {
  if (!taxes.some(({ category }) => category.code === 'O')) return { seller, buyer };
  if (taxes.length > 1) {
    throw electronicInvoiceNotPossible(
      'Some of it is not subject to VAT, and some is: the standard has no form for both in one document.',
    );
  }
  if (seller.registration === null) {
    throw electronicInvoiceNotPossible(
      'What is not subject to VAT is sold under another number than that of VAT: set registrationNumber of the store.',
    );
  }
  return { seller: { ...seller, vatNumber: null }, buyer: { ...buyer, vatNumber: null } };
}

/** The sums of each category with each rate; groups of the store that are the same to the standard are one. */
function taxesOf({ lines }: InvoiceContent, categories: readonly (() => Category)[], currency: string): CategorySums[] {
  const sums = new Map<string, CategorySums>();
  for (const part of lines.flatMap(({ parts }) => parts)) {
    const category = (categories[part.group] as () => Category)();
    const key = `${category.code} at ${category.rate}`;
    const { net, tax } = sumsOf([part]);
    const known = sums.get(key) ?? { category, net: 0, tax: 0 };
    sums.set(key, { category, net: known.net + net, tax: known.tax + tax });
  }
  const found = [...sums.values()];
  for (const each of found) requireTaxOfRate(each, currency);
  return found;
}

/**
 * The tax of a category is the rate of its sum, which that of lines, each rounded, may miss by one unit of the currency
 * (BR-CO-17).
 */
function requireTaxOfRate({ category, net, tax }: CategorySums, currency: string): void {
  const expected = divideRounded(BigInt(net) * scalePercent(category.rate ?? 0), hundredPercent);
  if (Math.abs(expected - tax) <= 10 ** minorUnitDigits(currency)) return;
  const rate = `${category.rate ?? 0} %`;
  throw electronicInvoiceNotPossible(`The tax of ${rate} is further from its rate than rounding explains.`);
}

function requireWhatItNeeds(
  { code }: Category,
  { suppliedOn }: InvoiceContent,
  buyer: Party,
  delivery: Address | null,
): void {
  if (code !== 'K' && code !== 'AE') return;
  if (buyer.vatNumber === null) throw electronicInvoiceNotPossible('The buyer has no VAT number with its country.');
  if (code === 'AE') return;
  if (suppliedOn === null) {
    throw electronicInvoiceNotPossible(
      'The day of supply is missing: credit the invoice in full, and issue it again with suppliedOn, before a refund.',
    );
  }
  if (delivery === null) throw electronicInvoiceNotPossible('The country of the delivery is unknown.');
}

function electronicTotals(
  content: InvoiceContent,
  { lines, charges }: Pick<ElectronicInvoice, 'lines' | 'charges'>,
): ElectronicTotals {
  const sum = (amounts: readonly number[]) => amounts.reduce((all, amount) => all + amount, 0);
  const { net, tax, gross, credit, rounding, total } = totalsOf(content.lines);
  const paid = content.paid?.amount ?? 0;
  const nets = charges.map((charge) => charge.net);
  return {
    lines: sum(lines.map((line) => line.net)),
    charges: sum(nets.filter((amount) => amount > 0)),
    allowances: -sum(nets.filter((amount) => amount < 0)) || 0,
    net,
    tax,
    gross,
    prepaid: paid - credit || 0,
    rounding,
    payable: total - paid,
  };
}
