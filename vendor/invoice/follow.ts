/**
 * Invoices that follow their orders: issued on payment or shipment as the store chooses, and corrected by credit notes
 * when the order is canceled or refunded.
 *
 * What is missing is computed from the state of the locked order, its refunds and its invoice, not from the event: a
 * repeated or late delivery finds nothing left to do.
 */
import { findStore } from '@carton/core';
import { isPlacedUnpaid, lockOrder, type OrderState, orderCanceled, orderOfEvent, orderPlaced } from '@carton/order';
import { paymentCaptured, refundCreated, succeededRefunds } from '@carton/payment';
import { type DeliveredEvent, type EventDefinition, object, subscriber, type TenantDatabase } from '@carton/runtime';
import { totalsOf } from './content.ts';
import { costOfUnits, isSameCharge, type UnitCredit } from './credits.ts';
import { creditLocked, dayIn, issueLocked, linesLeft } from './service.ts';
import { invoiceSettings } from './settings.ts';
import { findOpenInvoice, type InvoiceRow, invoices, invoicesOfOrder } from './store.ts';

/** Published by another package, which a box need not have: only its type is known here. */
const shipped: EventDefinition = { type: 'fulfillment.shipped', summary: '', payload: object({}) };

/**
 * Each delivery has a transaction of its own: the series of numbers is locked until its end, which must not be that of a
 * batch of deliveries.
 */
export const followOrders = subscriber({
  name: 'invoice.follow-orders',
  events: [orderPlaced, orderCanceled, paymentCaptured, refundCreated, shipped],
  outsideTransaction: true,
  concerns: (event) => !isPlacedUnpaid(event),
  handle: (db, event) => followOrder(db, orderOfEvent(event), event),
});

/** Issues what is missing for an order. @throws invoice_seller_incomplete (409) */
export async function followOrder(
  db: TenantDatabase,
  orderId: string,
  event: Pick<DeliveredEvent, 'type' | 'createdAt'>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) return;
    const found = await findOpenInvoice(tx, orderId);
    const invoice = found ? await invoices.require(tx, found) : await issueIfDue(tx, order, event);
    if (!invoice) return;
    if (order.status === 'canceled') await creditCanceled(tx, invoice);
    else await creditRefunds(tx, order, invoice);
  });
}

/** Issues the first invoice of an order if the store wants it on this event. */
async function issueIfDue(
  tx: TenantDatabase,
  order: OrderState,
  { type, createdAt }: Pick<DeliveredEvent, 'type' | 'createdAt'>,
): Promise<InvoiceRow | null> {
  const store = await findStore(tx);
  const { issueOn } = invoiceSettings.of(store);
  const isPaid = order.paidAmount >= order.totalAmount;
  const isDue = issueOn === 'payment' ? isPaid : issueOn === 'shipment' && type === shipped.type;
  if (!isDue || order.status === 'canceled') return null;
  if ((await invoicesOfOrder(tx, order.id)).length > 0) return null;
  return issueLocked(tx, order.id, { suppliedOn: type === shipped.type ? dayIn(store, createdAt) : null });
}

async function creditCanceled(tx: TenantDatabase, invoice: InvoiceRow): Promise<void> {
  const left = await linesLeft(tx, invoice);
  if (totalsOf(left).total > 0) await creditLocked(tx, invoice, left, { all: true, reason: 'The order was canceled' });
}

/**
 * Issues credit notes for the refunds of a locked order: for units that are not credited yet, one for each refund, and one
 * for other refunds beyond what was credited. What was paid beyond the order's total is returned without a credit note.
 */
export async function creditRefunds(tx: TenantDatabase, order: OrderState, invoice: InvoiceRow): Promise<void> {
  if (order.refundedAmount === 0) return;
  const reason = 'Refund';
  const earlier = new Set((await invoicesOfOrder(tx, order.id)).map(({ refundId }) => refundId));
  const byUnits = (await succeededRefunds(tx, order.id)).filter(({ tax }) => tax !== null);
  const refunded = byUnits.flatMap(partsOf);
  // The newest first: credit notes of staff cover the oldest refunds.
  for (const refund of byUnits.filter(({ id }) => !earlier.has(id)).reverse()) {
    const left = await linesLeft(tx, invoice);
    const units = partsOf(refund).flatMap((part) => uncredited(invoice, left, refunded, part));
    const amount = units.reduce((sum, unit) => sum + unit.amount, 0);
    if (amount <= 0) continue;
    const credit = amount < totalsOf(left).total ? { units } : ({ all: true } as const);
    if (totalsOf(left).total > 0) await creditLocked(tx, invoice, left, { ...credit, reason, refundId: refund.id });
  }
  const left = await linesLeft(tx, invoice);
  const credited = invoice.totalAmount - totalsOf(left).total;
  const paidBeyond = Math.max(0, order.paidAmount - order.totalAmount);
  const amount = Math.min(order.refundedAmount - paidBeyond - credited, totalsOf(left).total);
  if (amount > 0) await creditLocked(tx, invoice, left, { amount, reason });
}

type Refund = Awaited<ReturnType<typeof succeededRefunds>>[number];

/** The units of a refund. */
function partsOf({ items, shipping }: Refund): UnitCredit[] {
  return [
    ...items.map(({ lineItemId, quantity, amount, tax }) => ({
      lineItemId,
      shippingCode: null,
      quantity,
      amount: amount.amount,
      tax: tax.amount,
    })),
    ...shipping.map(({ code, amount, tax }) => ({
      lineItemId: null,
      shippingCode: code,
      quantity: 1,
      amount: amount.amount,
      tax: tax.amount,
    })),
  ];
}

/** The units of a part that are not credited yet: staff may have done so before. */
function uncredited(
  { content: { lines } }: InvoiceRow,
  left: InvoiceRow['content']['lines'],
  refunded: readonly UnitCredit[],
  part: UnitCredit,
): UnitCredit[] {
  const line = lines.find((each) => isSameCharge(each, part));
  const rest = left.find((each) => isSameCharge(each, part));
  if (!line || !rest) return [];
  const all = refunded.filter((each) => isSameCharge(each, part)).reduce((sum, { quantity }) => sum + quantity, 0);
  const quantity = Math.min(part.quantity, all - (line.quantity - rest.quantity));
  if (quantity <= 0) return [];
  return [quantity === part.quantity ? part : costOfUnits(line, rest, quantity)];
}
