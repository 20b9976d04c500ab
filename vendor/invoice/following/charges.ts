/**
 * Charges that an order gets or loses after its invoice, such as the fee of a payment method: one that is added has an
 * invoice of its own, one that is removed a credit note. A shipping charge is known by the id of its adjustment, so one that
 * is removed and added again is another. All of it is computed from the locked order and its invoices.
 */
import { feeSource, type Order } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { type ContentLine, totalsOf } from '../content.ts';
import { reasonOn } from '../credit-notes/reasons.ts';
import { creditLocked, linesLeft } from '../credit-notes/service.ts';
import { type ChargeCredit, isSameCharge } from '../credit-notes/shares.ts';
import { readLines, selectLines } from '../issuing/lines.ts';
import { issueAddition, issueLocked, partiesOf } from '../issuing/service.ts';
import { findOpenInvoice, type InvoiceRow, invoices, invoicesOfOrder } from '../store.ts';

/** An invoice with what is left of it. */
export interface OpenDocument {
  invoice: InvoiceRow;
  left: readonly ContentLine[];
}

/** The invoices of a locked order, without its credit notes, in the order of issue. */
export async function documentsOf(tx: TenantDatabase, orderId: string): Promise<OpenDocument[]> {
  const found = (await invoicesOfOrder(tx, orderId)).filter(({ kind }) => kind === 'invoice');
  const documents: OpenDocument[] = [];
  for (const invoice of found) documents.push({ invoice, left: await linesLeft(tx, invoice) });
  return documents;
}

/** Whether an order has the charge of a line of its invoice. Lines never go. */
export function isCharged({ adjustments }: Pick<Order, 'adjustments'>, line: ContentLine): boolean {
  if (line.lineItemId !== null) return true;
  return adjustments.some((each) => each.kind === 'shipping' && isChargeOf(each, line));
}

function isChargeOf(
  { id, code, charged }: Pick<Order['adjustments'][number], 'id' | 'code' | 'charged'>,
  line: ContentLine,
): boolean {
  if (line.shippingCode !== code) return false;
  // Documents of earlier releases do not name the adjustment.
  return line.chargeId == null ? totalsOf([line]).total === charged?.amount : line.chargeId === id;
}

/** Issues credit notes for charges that a locked order no longer has, as far as they are not credited. */
export async function creditRemoved(
  tx: TenantDatabase,
  order: Order,
  documents: readonly OpenDocument[],
): Promise<void> {
  for (const { invoice, left } of documents) {
    const charges = left
      .filter((line) => !isCharged(order, line))
      .map(chargeOf)
      .filter(({ amount }) => amount > 0);
    if (charges.length === 0) continue;
    await creditLocked(tx, invoice, left, { charges, reason: reasonOn(invoice, 'otherMethod') });
  }
}

/**
 * Replaces the invoice of a locked order whose total is rounded otherwise by now: the rounding is shared among its lines, so
 * the invoice is credited in full and issued again. One that was credited for another reason than a charge that the order
 * no longer has stays as it is: by staff, or for a refund, after which the rounding of an order does not change.
 */
export async function replaceRounded(tx: TenantDatabase, order: Order): Promise<void> {
  const own = await findOpenInvoice(tx, order.id);
  if (own === null) return;
  const invoice = await invoices.require(tx, own);
  const left = await linesLeft(tx, invoice);
  const [whole, rest] = [invoice.content.lines, left].map((lines) =>
    totalsOf(lines.filter((line) => isCharged(order, line))),
  );
  if (whole?.total !== rest?.total || whole?.rounding === order.totals.rounding.amount) return;
  await creditLocked(tx, invoice, left, { all: true, reason: reasonOn(invoice, 'rounding') });
  const { suppliedOn, note } = invoice.content;
  const documents = await documentsOf(tx, order.id);
  const isElsewhere = (line: ContentLine) => isOnAddition(documents, line);
  await issueLocked(tx, order.id, { suppliedOn, note }, isElsewhere, partiesOf(invoice.content));
}

/** All of a line as what to credit. */
export function chargeOf(line: ContentLine): ChargeCredit {
  const { lineItemId, shippingCode, quantity } = line;
  const { total: amount, tax } = totalsOf([line]);
  return { lineItemId, shippingCode, quantity, amount, tax };
}

/** Issues the invoice of fees that a locked order has beyond its invoices. @param invoice the order's invoice */
export async function invoiceAdded(
  tx: TenantDatabase,
  order: Order,
  invoice: InvoiceRow,
  documents: readonly OpenDocument[],
): Promise<void> {
  const lines = documents.flatMap(({ invoice: { content } }) => content.lines);
  const added = order.adjustments.filter(
    (each) =>
      each.kind === 'shipping' &&
      each.source?.type === feeSource &&
      !lines.some((line) => line.shippingCode !== null && isChargeOf(each, line)),
  );
  if (added.length === 0) return;
  const isAdded = ({ shippingCode }: ContentLine) => added.some(({ code }) => code === shippingCode);
  await issueAddition(tx, order, invoice, selectLines(await readLines(tx, order), isAdded));
}

/** Whether another invoice than the order's own has the line, and something of it is left. */
export function isOnAddition(documents: readonly OpenDocument[], line: ContentLine): boolean {
  return documents.some(
    ({ invoice, left }) =>
      isAddition(invoice) &&
      left.some((each) => isSameCharge(each, line) && each.chargeId === line.chargeId && totalsOf([each]).total > 0),
  );
}

/** Whether an invoice is that of charges that were added after the order's invoice. */
export function isAddition({ content }: Pick<InvoiceRow, 'content'>): boolean {
  return content.addsTo != null;
}
