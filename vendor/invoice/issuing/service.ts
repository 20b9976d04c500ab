/**
 * Issuing invoices. Every function that writes locks the order first, then the balance of its invoice, then the series
 * of the number.
 */
import { findStore, type Store } from '@carton/core';
import { findOrder, type Order } from '@carton/order';
import { localeOfTexts, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, type InvoiceContent, totalsOf } from '../content.ts';
import { countryOfNumber, vatNumberOf } from '../electronic/parties.ts';
import { destinationOf, leavesUnion } from '../page/untaxed.ts';
import { invoiceSellerIncomplete } from '../problems.ts';
import { invoiceSettings, sellerOf } from '../settings.ts';
import { type InvoiceRow, insertBalance } from '../store.ts';
import { buyerAndDeliveryOf, countryIn, type StatedBuyer } from './buyer.ts';
import { readLines, selectLines } from './lines.ts';
import { announce, dayIn, insertNumbered, type Unissued } from './numbering.ts';
import { paidFor } from './payments.ts';

/** What staff may state when they issue an invoice. */
export interface IssueRequest {
  /** The day of supply: `2026-11-22`. */
  suppliedOn?: string | null;
  /** Replaces the customer of the order. */
  buyer?: StatedBuyer;
  note?: string | null;
}

/**
 * Issues the invoice of a locked order that has none.
 * @param isLeftOut of lines that another invoice of the order has
 * @param parties those of the invoice that this one replaces by itself
 * @throws invoice_seller_incomplete (409)
 */
export async function issueLocked(
  tx: TenantDatabase,
  orderId: string,
  request: IssueRequest,
  isLeftOut: (line: ContentLine) => boolean = () => false,
  parties: Partial<Parties> = {},
): Promise<InvoiceRow> {
  const [order, store] = [(await findOrder(tx, orderId)) as Order, await findStore(tx)];
  const whole = await readLines(tx, order);
  const { total, tax } = totalsOf(whole.lines);
  if (total !== order.totals.total.amount || tax !== order.totals.tax.amount) {
    throw new Error(`the invoice of order ${orderId} adds up to ${total} with a tax of ${tax}`);
  }
  const { prefix } = invoiceSettings.of(store);
  const lines = selectLines(whole, (line) => !isLeftOut(line));
  const { total: totalAmount } = totalsOf(lines.lines);
  const paid = await paidFor(tx, store, { orderId, total: totalAmount, before: 0 });
  const content = { ...contentOf(order, store, request), ...parties, ...lines, paid };
  const invoice = await insertNumbered(tx, { kind: 'invoice', series: prefix, order, store, content });
  await insertBalance(tx, { invoiceId: invoice, orderId, totalAmount, open: true });
  return announce(tx, invoice);
}

/**
 * Issues an invoice of charges that a locked order got after its invoice, to the same buyer.
 * @param invoice the order's invoice
 */
export async function issueAddition(
  tx: TenantDatabase,
  order: Order,
  { number, content }: InvoiceRow,
  added: Pick<InvoiceContent, 'taxGroups' | 'lines'>,
): Promise<InvoiceRow> {
  const store = await findStore(tx);
  const { suppliedOn, issuedOn } = content;
  const { total: totalAmount } = totalsOf(added.lines);
  const before = order.totals.total.amount - totalAmount;
  const invoice = await insertNumbered(tx, {
    kind: 'invoice',
    series: invoiceSettings.of(store).prefix,
    order,
    store,
    content: {
      ...contentOf(order, store, { suppliedOn }),
      ...partiesOf(content),
      addsTo: { number, issuedOn },
      ...added,
      paid: await paidFor(tx, store, { orderId: order.id, total: totalAmount, before }),
    },
  });
  await insertBalance(tx, { invoiceId: invoice, orderId: order.id, totalAmount, open: false });
  return announce(tx, invoice);
}

type Parties = Pick<InvoiceContent, 'buyer' | 'delivery' | 'deliveryParts' | 'countries' | 'leavesUnion'>;

/** The buyer and the delivery of an issued invoice, for one that goes to the same. */
export function partiesOf(content: InvoiceContent): Partial<Parties> {
  const { buyer, delivery, deliveryParts = null, countries, leavesUnion } = content;
  return {
    ...{ buyer, delivery, deliveryParts },
    ...(countries && { countries }),
    ...(leavesUnion !== undefined && { leavesUnion }),
  };
}

function contentOf(
  order: Order,
  store: Store,
  { suppliedOn = null, buyer = {}, note = null }: IssueRequest,
): Omit<Unissued, 'taxGroups' | 'lines'> {
  const { vatNumber, registrationNumber } = store;
  const [legalName, sellerAddress] = sellerOf(store);
  if (legalName === null || sellerAddress === null) {
    throw invoiceSellerIncomplete('Set legalName and address of the store.');
  }
  const locale = localeOfTexts([order.locale, store.defaultLocale]);
  const { countries, ...parties } = buyerAndDeliveryOf(order, buyer, locale);
  const sellerCountry = store.country ?? countryIn(sellerAddress);
  const ofVat = vatNumberOf(vatNumber);
  return {
    locale,
    seller: {
      name: store.name,
      logoUrl: store.logoUrl,
      legalName,
      address: sellerAddress.split('\n'),
      vatNumber,
      registrationNumber,
      note: invoiceSettings.of(store).note,
    },
    ...parties,
    taxExemption: order.taxExemption,
    leavesUnion: leavesUnion(
      { country: sellerCountry ?? countryOfNumber(ofVat), vatNumber: ofVat },
      destinationOf({ ...parties, countries: { ...countries, seller: sellerCountry } }),
    ),
    orderNumber: order.number,
    orderedOn: dayIn(store, order.createdAt),
    suppliedOn,
    addsTo: null,
    corrects: null,
    reason: null,
    note,
    countries: { ...countries, seller: sellerCountry },
  };
}
