/**
 * Invoices that follow their orders: issued on payment or shipment as the store chooses, and corrected by credit notes
 * when the order is canceled or refunded.
 *
 * What is missing is computed from the state of the locked order, its refunds and its invoice, not from the event: a
 * repeated or late delivery finds nothing left to do.
 */
import { findStore } from '@carton/core';
import {
  balanceOf,
  isPlacedUnpaid,
  lockOrder,
  type OrderState,
  orderCanceled,
  orderOfEvent,
  orderPlaced,
  refundedChargeOf,
} from '@carton/order';
import { paymentCaptured, refundCreated, succeededRefunds } from '@carton/payment';
import { type DeliveredEvent, type EventDefinition, object, subscriber, type TenantDatabase } from '@carton/runtime';
import { type ContentLine, totalsOf } from './content.ts';
import { type ChargeCredit, costOfUnits, isSameCharge } from './credits.ts';
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
  const isPaid = balanceOf(order) <= 0;
  const isDue = issueOn === 'payment' ? isPaid : issueOn === 'shipment' && type === shipped.type;
  if (!isDue || order.status !== 'placed') return null;
  if ((await invoicesOfOrder(tx, order.id)).length > 0) return null;
  return issueLocked(tx, order.id, { suppliedOn: type === shipped.type ? dayIn(store, createdAt) : null });
}

async function creditCanceled(tx: TenantDatabase, invoice: InvoiceRow): Promise<void> {
  const left = await linesLeft(tx, invoice);
  if (totalsOf(left).total > 0) await creditLocked(tx, invoice, left, { all: true, reason: 'The order was canceled' });
}

/**
 * Issues credit notes for the refunds of a locked order, one for each refund with the amounts and taxes of the refund, as
 * far as staff have not credited them before. What was received beyond the order's total is returned without one.
 */
export async function creditRefunds(tx: TenantDatabase, order: OrderState, invoice: InvoiceRow): Promise<void> {
  const refunded = refundedChargeOf(order);
  if (refunded <= 0) return;
  const reason = 'Refund';
  const earlier = new Set((await invoicesOfOrder(tx, order.id)).map(({ refundId }) => refundId));
  const refunds = (await succeededRefunds(tx, order.id)).map((refund) => ({ id: refund.id, parts: partsOf(refund) }));
  const open = refunds.filter(({ id, parts }) => parts.length > 0 && !earlier.has(id));
  for (const { refundId, ...credit } of creditsOf(invoice, await linesLeft(tx, invoice), { refunded, refunds, open })) {
    const left = await linesLeft(tx, invoice);
    const most = totalsOf(left).total;
    if (most <= 0) break;
    const isAll = sumOf(credit.charges) + credit.more >= most;
    await creditLocked(tx, invoice, left, { ...(isAll ? { all: true } : credit), reason, refundId });
  }
  // What was refunded by amount in an earlier release has no parts.
  const left = await linesLeft(tx, invoice);
  const credited = invoice.totalAmount - totalsOf(left).total;
  const amount = Math.min(refunded - credited, totalsOf(left).total);
  if (amount > 0) await creditLocked(tx, invoice, left, { amount, reason });
}

/** A refund with what it took of lines and shipping charges. */
interface DividedRefund {
  id: string;
  parts: ChargeCredit[];
}

interface RefundCredit {
  refundId: string;
  charges: ChargeCredit[];
  /** Minor units of all lines, where staff have credited some of the refund before. */
  more: number;
}

/**
 * What to credit for refunds that have no credit note: the units that are not credited yet, and parts of prices as far as no
 * more is credited than was refunded. Credit notes of staff cover the oldest refunds.
 * @param left the lines of the invoice that are left
 * @param refunded the sum of all refunds
 * @param refunds all refunds, the oldest first; `open` are those without a credit note
 */
function creditsOf(
  invoice: InvoiceRow,
  left: readonly ContentLine[],
  { refunded, refunds, open }: { refunded: number; refunds: readonly DividedRefund[]; open: readonly DividedRefund[] },
): RefundCredit[] {
  const all = refunds.flatMap(({ parts }) => parts);
  const counted: ChargeCredit[] = [];
  const byUnits = open.toReversed().map(({ id, parts }) => {
    const units = parts
      .filter(({ quantity }) => quantity > 0)
      .flatMap((part) => uncredited(invoice, left, { all, counted }, part));
    counted.push(...units);
    return { refundId: id, units, prices: parts.filter(({ quantity }) => quantity === 0) };
  });
  let room = refunded - (invoice.totalAmount - totalsOf(left).total) - sumOf(counted);
  const credits = byUnits.map(({ refundId, units, prices }) => {
    const whole = sumOf(prices);
    const amount = Math.min(whole, Math.max(0, room));
    room -= amount;
    return amount === whole
      ? { refundId, charges: [...units, ...prices], more: 0 }
      : { refundId, charges: units, more: amount };
  });
  return credits.filter(({ charges, more }) => sumOf(charges) + more > 0).reverse();
}

const sumOf = (credits: readonly ChargeCredit[]) => credits.reduce((sum, { amount }) => sum + amount, 0);

type Refund = Awaited<ReturnType<typeof succeededRefunds>>[number];

/** What a refund took of lines and shipping charges. */
function partsOf({ items, shipping }: Refund): ChargeCredit[] {
  return [
    ...items.map(({ lineItemId, quantity, amount, tax }) => ({
      lineItemId,
      shippingCode: null,
      quantity,
      amount: amount.amount,
      tax: tax.amount,
    })),
    ...shipping.map(({ code, quantity, amount, tax }) => ({
      lineItemId: null,
      shippingCode: code,
      quantity,
      amount: amount.amount,
      tax: tax.amount,
    })),
  ];
}

/**
 * The units of a part that are not credited yet: staff may have done so before.
 * @param all what was refunded @param counted what is to be credited already
 */
function uncredited(
  { content: { lines } }: InvoiceRow,
  left: readonly ContentLine[],
  { all, counted }: { all: readonly ChargeCredit[]; counted: readonly ChargeCredit[] },
  part: ChargeCredit,
): ChargeCredit[] {
  const line = lines.find((each) => isSameCharge(each, part));
  const rest = left.find((each) => isSameCharge(each, part));
  if (!line || !rest) return [];
  const unitsIn = (credits: readonly ChargeCredit[]) =>
    credits.filter((each) => isSameCharge(each, part)).reduce((sum, { quantity }) => sum + quantity, 0);
  const quantity = Math.min(part.quantity, unitsIn(all) - (line.quantity - rest.quantity) - unitsIn(counted));
  if (quantity <= 0) return [];
  return [quantity === part.quantity ? part : costOfUnits(line, rest, quantity)];
}
