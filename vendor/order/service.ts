/**
 * Rules of orders after they were placed: changing, canceling, archiving, notes, and the state of their payment.
 */
import { returnStock, type StockLine } from '@carton/inventory';
import {
  defineProblem,
  extensionPoint,
  type IntegrationPage,
  json,
  notFound,
  type Page,
  type Problem,
  publish,
  type TenantDatabase,
} from '@carton/runtime';
import { factOf, orderCanceled, orderUpdated } from './events.ts';
import { factOfOrder, type Order, orderEventOf, orderOf } from './present.ts';
import type { AdminOrderQuery, ChangeOrder, OrderEvent } from './schemas.ts';
import { insertOrderEvent, listOrderEvents, lockOrder, type OrderState, orders, putAddress } from './store.ts';

export const orderAlreadyCanceled = defineProblem({
  code: 'order_already_canceled',
  status: 409,
  title: 'The order is canceled already',
});
export const orderFulfillmentStarted = defineProblem({
  code: 'order_fulfillment_started',
  status: 409,
  title: 'Fulfillment of the order has begun',
});

export const orderPaymentChanged = defineProblem({
  code: 'order_payment_changed',
  status: 409,
  title: 'The payment of the order is in another state by now',
});

/**
 * Called in the transaction that cancels an order, after its stock was returned, with the order locked: what else has
 * to be undone. Never calls another service over the network; that is for whoever acts on `order.canceled`.
 */
export type OrderCanceler = (tx: TenantDatabase, order: OrderState) => Promise<void>;
export const orderCancelers = extensionPoint<OrderCanceler>('order.cancelers');

export function unknownOrder(id: string): Problem {
  return notFound(`No order has the id ${id}.`);
}

/** An order with its parts, in one statement; null for an unknown id. */
export async function findOrder(db: TenantDatabase, id: string): Promise<Order | null> {
  const row = await orders.find(db, id);
  return row && orderOf(row);
}

/** The order a cart has become, null when it has not. */
export async function findOrderOfCart(db: TenantDatabase, cartId: string): Promise<Order | null> {
  const row = await orders.findBy(db, { cartId });
  return row && orderOf(row);
}

/** @throws not_found (404) */
export async function readOrder(db: TenantDatabase, id: string): Promise<Order> {
  return orderOf(await orders.require(db, id));
}

export async function listOrders(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<Order>> {
  const page = await orders.page(db, query);
  return { ...page, items: page.items.map(orderOf) };
}

/** @throws not_found (404) */
export async function changeOrder(db: TenantDatabase, id: string, patch: ChangeOrder): Promise<Order> {
  const { customer = {}, externalId, metadata } = patch;
  return db.transaction(async (tx) => {
    const { email, name: customerName, phone, address, billing } = customer;
    const changed = await tx.update(
      'orders',
      { id },
      { email, customerName, phone, externalId, metadata: metadata && json(metadata), updatedAt: new Date() },
    );
    if (changed.length === 0) throw unknownOrder(id);
    if (address !== undefined) await putAddress(tx, id, 'shipping', address);
    if (billing !== undefined) await putAddress(tx, id, 'billing', billing);
    const { customer: _, ...own } = patch;
    const names = [...Object.keys(customer), ...Object.keys(own)];
    await insertOrderEvent(tx, id, 'updated', `Changed: ${names.join(', ')}`);
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, factOfOrder(order));
    return order;
  });
}

/**
 * Cancels an order that nothing was fulfilled of: its stock returns, and whoever contributed to `orderCancelers` undoes
 * the rest. Of several at once, one cancels.
 * @param only in this state of its payment, as it is once the order is locked
 * @throws not_found (404), order_already_canceled (409), order_fulfillment_started (409), order_payment_changed (409)
 *   with `only`
 */
export async function cancelOrder(
  db: TenantDatabase,
  id: string,
  reason?: string,
  only: Partial<Pick<OrderState, 'paymentStatus'>> = {},
): Promise<Order> {
  return db.transaction(async (tx) => {
    const { items, ...before } = await readOrder(tx, id);
    refuseToCancel(before, only);
    // Stock is locked before orders, everywhere. If somebody was faster, the transaction undoes what is returned here.
    await returnStock(tx, items.flatMap(stockedOf), { type: 'order', id });
    const now = new Date();
    const [canceled] = await tx.update<OrderState>(
      'orders',
      { id, status: 'placed', fulfillmentStatus: 'unfulfilled', ...only },
      { status: 'canceled', canceledAt: now, updatedAt: now },
    );
    if (!canceled) {
      refuseToCancel(await readOrder(tx, id), only);
      throw new Error(`order ${id} can be canceled and cannot`);
    }
    await insertOrderEvent(tx, id, 'canceled', reason ? `Canceled: ${reason}` : 'Canceled');
    await publish(tx, orderCanceled, { type: 'order', id }, factOf(canceled));
    for (const undo of orderCancelers.of(tx)) await undo(tx, canceled);
    return readOrder(tx, id);
  });
}

/** What stock knows of a line. */
function stockedOf({ variantId, quantity }: Order['items'][number]): StockLine[] {
  return variantId === null ? [] : [{ variantId, quantity }];
}

function refuseToCancel(
  { status, fulfillmentStatus, paymentStatus }: Pick<Order, 'status' | 'fulfillmentStatus' | 'paymentStatus'>,
  only: Partial<Pick<OrderState, 'paymentStatus'>>,
): void {
  if (status === 'canceled') throw orderAlreadyCanceled();
  if (fulfillmentStatus !== 'unfulfilled') {
    throw orderFulfillmentStarted('What has left the shop comes back as a return.');
  }
  if (only.paymentStatus !== undefined && only.paymentStatus !== paymentStatus) throw orderPaymentChanged();
}

/** Puts an order away; one that is archived stays as it is. @throws not_found (404) */
export async function archiveOrder(db: TenantDatabase, id: string): Promise<Order> {
  return db.transaction(async (tx) => {
    if (!(await lockOrder(tx, id))) throw unknownOrder(id);
    const before = await readOrder(tx, id);
    if (before.archivedAt !== null) return before;
    const now = new Date();
    await tx.update('orders', { id }, { archivedAt: now, updatedAt: now });
    await insertOrderEvent(tx, id, 'archived', 'Archived');
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, factOfOrder(order));
    return order;
  });
}

/** The history of an order, newest first. @throws not_found (404) */
export async function listTimeline(
  db: TenantDatabase,
  id: string,
  page: { limit: number; cursor?: string },
): Promise<Page<OrderEvent>> {
  await readOrder(db, id);
  const { items, nextCursor } = await listOrderEvents(db, page, { orderId: id });
  return { items: items.map((row) => orderEventOf(db, row)), nextCursor };
}

/** @throws not_found (404) */
export async function addNote(db: TenantDatabase, id: string, note: string): Promise<OrderEvent> {
  await readOrder(db, id);
  return orderEventOf(db, await insertOrderEvent(db, id, 'note', note));
}

/** How an order is paid: sums of its payments, in minor units, and the state that follows from them. */
export type PaymentState = Pick<OrderState, 'paymentStatus' | 'paidAmount' | 'refundedAmount'>;

/**
 * Sets the state of an order's payment, with a line in its history that says why: the one place that changes it, and
 * with it the balance. Call it with the order locked (`lockOrder`), in the transaction of the payment.
 * @param note said to staff: `Paid 19.99 EUR by bank transfer`
 */
export async function changePaymentState(
  tx: TenantDatabase,
  orderId: string,
  { paymentStatus, paidAmount, refundedAmount }: PaymentState,
  note: string,
): Promise<void> {
  const [order] = await tx.update<OrderState>(
    'orders',
    { id: orderId },
    { paymentStatus, paidAmount, refundedAmount, updatedAt: new Date() },
  );
  if (!order) throw new Error(`no order ${orderId}`);
  await insertOrderEvent(tx, orderId, 'payment', note);
  await publish(tx, orderUpdated, { type: 'order', id: orderId }, factOf(order));
}

/** A line about payments in the history of an order whose state stays as it is. */
export async function addPaymentNote(tx: TenantDatabase, orderId: string, note: string): Promise<void> {
  await insertOrderEvent(tx, orderId, 'payment', note);
}
