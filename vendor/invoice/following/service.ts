/**
 * Invoices that follow their orders: issued on payment or shipment as the store chooses, corrected by credit notes when the
 * order is canceled or refunded, and kept in step with charges that it gets or loses.
 *
 * What is missing is computed from the state of the locked order, its refunds and its invoices, not from the event: a
 * repeated or late delivery finds nothing left to do.
 */
import { findStore, type Store } from '@carton/core';
import {
  balanceOf,
  findOrder,
  isPlacedUnpaid,
  lockOrder,
  type Order,
  type OrderState,
  orderCanceled,
  orderChargesChanged,
  orderOfEvent,
  orderPlaced,
} from '@carton/order';
import { paymentCaptured, refundCreated } from '@carton/payment';
import { type DeliveredEvent, type EventDefinition, object, subscriber, type TenantDatabase } from '@carton/runtime';
import { totalsOf } from '../content.ts';
import { reasonOn } from '../credit-notes/reasons.ts';
import { creditLocked } from '../credit-notes/service.ts';
import { dayIn } from '../issuing/numbering.ts';
import { lastPaymentDay } from '../issuing/payments.ts';
import { issueLocked } from '../issuing/service.ts';
import { invoiceSettings } from '../settings.ts';
import { findOpenInvoice, invoices, invoicesOfOrder } from '../store.ts';
import { creditRemoved, documentsOf, invoiceAdded, replaceRounded } from './charges.ts';
import { creditRefunds } from './refunds.ts';

/** Published by another package, which a box need not have: only its type is known here. */
const shipped: EventDefinition = { type: 'fulfillment.shipped', summary: '', payload: object({}) };

/**
 * Each delivery has a transaction of its own: the series of numbers is locked until its end, which must not be that of a
 * batch of deliveries.
 */
export const followOrders = subscriber({
  name: 'invoice.follow-orders',
  events: [orderPlaced, orderCanceled, orderChargesChanged, paymentCaptured, refundCreated, shipped],
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
    if (!(await findOpenInvoice(tx, orderId))) await issueIfDue(tx, order, event);
    if (order.status === 'canceled') await creditCanceled(tx, orderId);
    else await alignInvoices(tx, order);
  });
}

/**
 * Issues what the invoices of a locked order lack: for charges that were removed or added since, for another rounding, and
 * for refunds.
 */
export async function alignInvoices(tx: TenantDatabase, state: OrderState): Promise<void> {
  const order = (await findOrder(tx, state.id)) as Order;
  await replaceRounded(tx, order);
  const documents = await documentsOf(tx, state.id);
  if (documents.length === 0) return;
  await creditRemoved(tx, order, documents);
  const own = await findOpenInvoice(tx, state.id);
  if (own) await invoiceAdded(tx, order, await invoices.require(tx, own), documents);
  await creditRefunds(tx, state, order);
}

/** Issues the first invoice of an order if the store wants it on this event. */
async function issueIfDue(
  tx: TenantDatabase,
  order: OrderState,
  { type, createdAt }: Pick<DeliveredEvent, 'type' | 'createdAt'>,
): Promise<void> {
  const store = await findStore(tx);
  const { issueOn } = invoiceSettings.of(store);
  const isPaid = balanceOf(order) <= 0;
  const isDue = issueOn === 'payment' ? isPaid : issueOn === 'shipment' && type === shipped.type;
  if (!isDue || order.status !== 'placed') return;
  if ((await invoicesOfOrder(tx, order.id)).length > 0) return;
  const day = dayIn(store, createdAt);
  const suppliedOn = type === shipped.type ? day : await supplyBeforeShipment(tx, store, order, day);
  await issueLocked(tx, order.id, { suppliedOn });
}

/**
 * A supply within the European Union has a day (BR-IC-11). Before anything is shipped, it is that of the payment on account
 * (Directive 2006/112/EC, Article 226, point 7).
 */
async function supplyBeforeShipment(
  tx: TenantDatabase,
  store: Store,
  { id, fulfillmentStatus }: OrderState,
  day: string,
): Promise<string | null> {
  const { taxExemption } = (await findOrder(tx, id)) as Order;
  if (taxExemption !== 'intra_community' || fulfillmentStatus !== 'unfulfilled') return null;
  return (await lastPaymentDay(tx, store, id)) ?? day;
}

async function creditCanceled(tx: TenantDatabase, orderId: string): Promise<void> {
  for (const { invoice, left } of await documentsOf(tx, orderId)) {
    const isLeft = totalsOf(left).total > 0;
    if (isLeft) await creditLocked(tx, invoice, left, { all: true, reason: reasonOn(invoice, 'canceled') });
  }
}
