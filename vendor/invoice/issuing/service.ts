/**
 * Issuing invoices. Every function that writes locks the order first, then the balance of its invoice, then the series
 * of the number.
 */
import { findStore, type Store } from '@carton/core';
import { addressLines, findOrder, type Order } from '@carton/order';
import { countryCodeOf, localeOfTexts, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, type InvoiceContent, totalsOf } from '../content.ts';
import { invoiceSellerIncomplete } from '../problems.ts';
import { invoiceSettings, sellerOf } from '../settings.ts';
import { type InvoiceRow, insertBalance } from '../store.ts';
import { linesOf, selectLines } from './lines.ts';
import { announce, dayIn, insertNumbered, type Unissued } from './numbering.ts';

/** What staff may state when they issue an invoice. */
export interface IssueRequest {
  /** The day of supply: `2026-11-22`. */
  suppliedOn?: string | null;
  /** Replaces the customer of the order. */
  buyer?: { name?: string | null; address?: string | null; vatNumber?: string | null };
  note?: string | null;
}

/**
 * Issues the invoice of a locked order that has none.
 * @param isLeftOut of lines that another invoice of the order has
 * @throws invoice_seller_incomplete (409)
 */
export async function issueLocked(
  tx: TenantDatabase,
  orderId: string,
  request: IssueRequest,
  isLeftOut: (line: ContentLine) => boolean = () => false,
): Promise<InvoiceRow> {
  const [order, store] = [(await findOrder(tx, orderId)) as Order, await findStore(tx)];
  const whole = linesOf(order);
  const { total, tax } = totalsOf(whole.lines);
  if (total !== order.totals.total.amount || tax !== order.totals.tax.amount) {
    throw new Error(`the invoice of order ${orderId} adds up to ${total} with a tax of ${tax}`);
  }
  const { prefix } = invoiceSettings.of(store);
  const content = { ...contentOf(order, store, request), ...selectLines(whole, (line) => !isLeftOut(line)) };
  const invoice = await insertNumbered(tx, { kind: 'invoice', series: prefix, order, store, content });
  const { total: totalAmount } = totalsOf(content.lines);
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
  const { suppliedOn, buyer, delivery, issuedOn, countries } = content;
  const invoice = await insertNumbered(tx, {
    kind: 'invoice',
    series: invoiceSettings.of(store).prefix,
    order,
    store,
    content: {
      ...contentOf(order, store, { suppliedOn }),
      ...{ buyer, delivery, addsTo: { number, issuedOn } },
      ...(countries && { countries }),
      ...added,
    },
  });
  const { total: totalAmount } = totalsOf(added.lines);
  await insertBalance(tx, { invoiceId: invoice, orderId: order.id, totalAmount, open: false });
  return announce(tx, invoice);
}

/** The name in an address; none in free text. */
function nameIn(address: Order['customer']['address']): string | null {
  return address === null || typeof address === 'string' ? null : address.name || null;
}

/** The country of an address; of free text, that in its last line. */
function countryIn(address: Order['customer']['address']): string | null {
  const country = typeof address === 'string' ? address.split('\n').at(-1) : address?.country;
  return country ? countryCodeOf(country) : null;
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
  const { email, name, address, billing, taxNumber } = order.customer;
  const buyerNumber = buyer.vatNumber ?? taxNumber;
  const shippingLines = addressLines(address, locale);
  const billed = billing ?? address;
  const nameOfBuyer = buyer.name ?? nameIn(billed) ?? name;
  // An invoice names one buyer: a name that replaces the customer's does so in the address too.
  const billedAs = nameIn(billed) === null ? billed : { ...(billed as object), name: nameOfBuyer };
  const buyerLines = buyer.address ? buyer.address.split('\n') : addressLines(billedAs, locale);
  const isSame = shippingLines.join('\n') === buyerLines.join('\n');
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
    buyer: { name: nameOfBuyer, email, address: buyerLines, vatNumber: buyerNumber, taxNumber: buyerNumber },
    taxExemption: order.taxExemption,
    delivery: isSame ? [] : shippingLines,
    orderNumber: order.number,
    orderedOn: dayIn(store, order.createdAt),
    suppliedOn,
    addsTo: null,
    corrects: null,
    reason: null,
    note,
    countries: {
      seller: store.country ?? countryIn(sellerAddress),
      // Staff correct an address without its country.
      buyer: countryIn(buyer.address ?? null) ?? countryIn(billed),
      delivery: countryIn(address),
    },
  };
}
