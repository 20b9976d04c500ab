/**
 * Issuing invoices and credit notes. Every function that writes locks the order first, then the balance of its invoice,
 * then the series of the number.
 */
import { findStore, type Store } from '@carton/core';
import { addressLines, addTimelineEntry, chargedRowsOf, findOrder, type Order, type OrderState } from '@carton/order';
import { dateTimeFormat, formatMoney, localeOfTexts, money, publish, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, type InvoiceContent, type InvoiceKind, totalsOf } from '../content.ts';
import { type ChargeCredit, creditAll, creditAmount, creditCharges, leftOf } from '../credit-notes/shares.ts';
import { invoiceIssued } from '../events.ts';
import { creditNotPossible, invoiceSellerIncomplete } from '../problems.ts';
import { invoiceSettings, sellerOf } from '../settings.ts';
import {
  addCredit,
  creditedLines,
  drawSequence,
  type InvoiceRow,
  insertBalance,
  insertInvoice,
  invoices,
} from '../store.ts';
import { taxedChargesOf } from './taxation.ts';

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
  const { suppliedOn, buyer, delivery, issuedOn } = content;
  const invoice = await insertNumbered(tx, {
    kind: 'invoice',
    series: invoiceSettings.of(store).prefix,
    order,
    store,
    content: {
      ...contentOf(order, store, { suppliedOn }),
      ...{ buyer, delivery, addsTo: { number, issuedOn } },
      ...added,
    },
  });
  const { total: totalAmount } = totalsOf(added.lines);
  await insertBalance(tx, { invoiceId: invoice, orderId: order.id, totalAmount, open: false });
  return announce(tx, invoice);
}

/** Some lines of an invoice, with the groups of taxes that they have. */
export function selectLines(
  { taxGroups, lines }: Pick<InvoiceContent, 'taxGroups' | 'lines'>,
  isSelected: (line: ContentLine) => boolean,
): Pick<InvoiceContent, 'taxGroups' | 'lines'> {
  const selected = lines.filter(isSelected);
  if (selected.length === lines.length) return { taxGroups, lines };
  const positions = [...new Set(selected.flatMap(({ parts }) => parts.map(({ group }) => group)))].sort(
    (a, b) => a - b,
  );
  return {
    taxGroups: positions.map((position) => taxGroups[position] ?? []),
    lines: selected.map((line) => ({
      ...line,
      parts: line.parts.map((part) => ({ ...part, group: positions.indexOf(part.group) })),
    })),
  };
}

/** The lines of an order with their parts by tax. */
export function linesOf({ items, adjustments, taxLines }: Pick<Order, 'items' | 'adjustments' | 'taxLines'>) {
  const { taxGroups, charges } = taxedChargesOf(chargedRowsOf({ items, adjustments, taxLines }));
  const lines = charges.map(({ charge, parts }): ContentLine => {
    const { lineItemId, shippingCode, quantity, discount, credit } = charge;
    const item = items.find(({ id }) => id === lineItemId);
    const shipping = adjustments.find(({ kind, code }) => kind === 'shipping' && code === shippingCode);
    return {
      lineItemId,
      shippingCode,
      chargeId: shipping?.id ?? null,
      title: item?.title ?? shipping?.label ?? '',
      variantTitle: item?.variantTitle ?? null,
      sku: item?.sku ?? null,
      quantity,
      unitAmount: item?.unitPrice.amount ?? null,
      discount,
      credit,
      parts,
    };
  });
  return { taxGroups, lines };
}

type Unissued = Omit<InvoiceContent, 'issuedOn'>;

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
  const { email, name, address, billing } = order.customer;
  const shippingLines = addressLines(address, locale);
  const billingLines = addressLines(billing ?? address, locale);
  const buyerLines = buyer.address ? buyer.address.split('\n') : billingLines;
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
    buyer: { name: buyer.name ?? name, email, address: buyerLines, vatNumber: buyer.vatNumber ?? null },
    delivery: isSame ? [] : shippingLines,
    orderNumber: order.number,
    orderedOn: dayIn(store, order.createdAt),
    suppliedOn,
    addsTo: null,
    corrects: null,
    reason: null,
    note,
  };
}

/** The day of a time in the time zone of the store. */
export function dayIn({ timeZone }: Pick<Store, 'timeZone'>, time: Date | string): string {
  const format = dateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return format.format(new Date(time));
}

interface Numbered {
  kind: InvoiceKind;
  series: string;
  order: Pick<OrderState, 'id' | 'currency'>;
  store: Store;
  content: Unissued;
  invoiceId?: string;
  refundId?: string | null;
}

/** Draws the number and inserts the row; returns its id. */
async function insertNumbered(
  tx: TenantDatabase,
  { kind, series, order, store, content, invoiceId, refundId }: Numbered,
): Promise<string> {
  const { net, tax, credit, total } = totalsOf(content.lines);
  const { sequence, issuedAt } = await drawSequence(tx, series);
  return insertInvoice(tx, {
    kind,
    series,
    sequence,
    number: `${series}${sequence}`,
    orderId: order.id,
    invoiceId: invoiceId ?? null,
    refundId: refundId ?? null,
    currency: order.currency,
    netAmount: net,
    taxAmount: tax,
    creditAmount: credit,
    totalAmount: total,
    content: { ...content, issuedOn: dayIn(store, issuedAt) },
    createdAt: issuedAt,
  });
}

const nouns: Readonly<Record<InvoiceKind, string>> = { invoice: 'Invoice', credit_note: 'Credit note' };

/** Adds the entry to the timeline of the order, publishes the event and returns the row. */
async function announce(tx: TenantDatabase, id: string): Promise<InvoiceRow> {
  const row = await invoices.require(tx, id);
  const { kind, number, orderId, invoiceId, currency, totalAmount } = row;
  const amount = formatMoney(money(totalAmount, currency), 'en');
  await addTimelineEntry(tx, orderId, 'invoice', `${nouns[kind]} ${number} of ${amount} was issued`);
  await publish(
    tx,
    invoiceIssued,
    { type: 'invoice', id },
    { number, kind, orderId, invoiceId, currency, totalAmount },
  );
  return row;
}

/** What a credit note is for. */
export type Credit = (
  | { charges: readonly ChargeCredit[] /** Minor units of all lines, besides. */; more?: number }
  | { /** Minor units. */ amount: number }
  | { all: true }
) & {
  reason?: string | null;
  refundId?: string | null;
};

/** The lines of an invoice that are left to credit; its order must be locked. */
export async function linesLeft(tx: TenantDatabase, invoice: InvoiceRow): Promise<ContentLine[]> {
  return leftOf(invoice.content.lines, await creditedLines(tx, invoice.orderId, invoice.id));
}

/**
 * Issues a credit note. The order must be locked.
 * @param left the lines of the invoice that are left
 * @throws credit_not_possible (409) for nothing, or for more than is left
 */
export async function creditLocked(
  tx: TenantDatabase,
  invoice: InvoiceRow,
  left: readonly ContentLine[],
  { reason = null, refundId = null, ...credit }: Credit,
): Promise<InvoiceRow> {
  const lines = creditLines(left, credit);
  const { total } = totalsOf(lines);
  if (total <= 0) throw creditNotPossible('Nothing is left to credit for this.');
  if (!(await addCredit(tx, invoice.id, total))) {
    const most = money(totalsOf(left).total, invoice.currency);
    throw creditNotPossible(`At most ${formatMoney(most, 'en')} is left to credit.`);
  }
  const store = await findStore(tx);
  const { number, content, orderId: id, currency } = invoice;
  const { creditNotePrefix } = invoiceSettings.of(store);
  const creditNote = await insertNumbered(tx, {
    kind: 'credit_note',
    series: creditNotePrefix,
    order: { id, currency },
    store,
    content: { ...content, note: null, addsTo: null, corrects: { number, issuedOn: content.issuedOn }, reason, lines },
    invoiceId: invoice.id,
    refundId,
  });
  return announce(tx, creditNote);
}

function creditLines(
  left: readonly ContentLine[],
  credit: Omit<Credit, 'reason' | 'refundId'> & object,
): ContentLine[] {
  if ('charges' in credit) {
    const { charges, more } = credit as { charges: readonly ChargeCredit[]; more?: number };
    return creditCharges(left, charges, more);
  }
  if ('amount' in credit) return creditAmount(left, credit.amount as number);
  return creditAll(left);
}
