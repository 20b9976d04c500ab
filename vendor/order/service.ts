/**
 * Order rules after placement: changing, canceling, archiving, notes, and the payment state.
 */
import { returnStock, type StockLine } from '@carton/inventory';
import {
  defineProblem,
  distinctTags,
  extensionPoint,
  type IntegrationPage,
  json,
  notFound,
  type Page,
  Problem,
  publish,
  type TenantDatabase,
  writtenText,
} from '@carton/runtime';
import { writtenAddress } from './details/addresses.ts';
import { orderCanceled, orderPlaced, orderUpdated, payloadOf } from './events.ts';
import { placedMessage } from './placing/service.ts';
import { type Order, orderEventOf, orderOf, payloadOfOrder } from './present.ts';
import type { AdminOrderQuery, ChangeOrder, OrderEvent } from './schemas.ts';
import { pageOfOrders } from './search/service.ts';
import { rewriteWords } from './search/words-store.ts';
import { type OrderStates, requireTransition } from './states/transitions.ts';
import {
  type EntryActor,
  insertOrderEvent,
  listOrderEvents,
  lockOrder,
  type OrderState,
  orders,
  putAddress,
  putTags,
  stateOfRow,
} from './store.ts';
import { addRestocked, heldUnitsOf, lockOrderLines } from './units/store.ts';

export const orderPaymentChanged = defineProblem({
  code: 'order_payment_changed',
  status: 409,
  title: 'The payment status of the order has changed',
});

/** What an order must still be once it is locked for its cancellation. */
interface Expected {
  paymentStatus?: OrderState['paymentStatus'];
  /** In the transaction of the cancellation, with the order locked. */
  isPending?(tx: TenantDatabase): Promise<boolean>;
}

/**
 * Undoes further effects of an order that is canceled. Called in the transaction of the cancellation, after restocking,
 * with the order locked. Must not call other services over the network; subscribe to `order.canceled` for that. It can
 * refuse the cancellation by throwing a problem that the routes declare (`order_fulfillment_started`).
 * @param by the shopper or the system; undefined for staff
 */
export type OrderCanceler = (tx: TenantDatabase, order: OrderState, by?: EntryActor) => Promise<void>;
export const orderCancelers = extensionPoint<OrderCanceler>('order.cancelers');

export function unknownOrder(id: string): Problem {
  return notFound(`There is no order with the id ${id}.`);
}

/** Finds an order with its parts, in one statement; null for an unknown id. */
export async function findOrder(db: TenantDatabase, id: string): Promise<Order | null> {
  const row = await orders.find(db, id);
  return row && orderOf(row);
}

/** Finds the order that a cart became; null if there is none. */
export async function findOrderOfCart(db: TenantDatabase, cartId: string): Promise<Order | null> {
  const row = await orders.findBy(db, { cartId });
  return row && orderOf(row);
}

/** @throws not_found (404) */
export async function readOrder(db: TenantDatabase, id: string): Promise<Order> {
  return orderOf(await orders.require(db, id));
}

export async function listOrders(db: TenantDatabase, query: AdminOrderQuery): Promise<IntegrationPage<Order>> {
  const page = await pageOfOrders(db, query);
  return { ...page, items: page.items.map(orderOf) };
}

/** A detail as it is stored; undefined for one that does not change. */
function written(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : writtenText(text);
}

/** @throws not_found (404) */
export async function changeOrder(db: TenantDatabase, id: string, patch: ChangeOrder): Promise<Order> {
  const { customer = {}, externalId, metadata } = patch;
  const tags = patch.tags && distinctTags(patch.tags);
  return db.transaction(async (tx) => {
    const { email, name: customerName, phone, address, billing } = customer;
    const changed = await tx.update(
      'orders',
      { id },
      {
        email,
        customerName: written(customerName),
        phone: written(phone),
        tags,
        externalId,
        metadata: metadata && json(metadata),
        updatedAt: new Date(),
      },
    );
    if (changed.length === 0) throw unknownOrder(id);
    if (address !== undefined) await putAddress(tx, id, 'shipping', writtenAddress(address));
    if (billing !== undefined) await putAddress(tx, id, 'billing', writtenAddress(billing));
    if (tags !== undefined) await putTags(tx, id, tags);
    if (email !== undefined || customerName !== undefined) await rewriteWords(tx, [id]);
    const { customer: _, ...own } = patch;
    const names = [...Object.keys(customer), ...Object.keys(own)];
    await insertOrderEvent(tx, id, 'updated', `Changed: ${names.join(', ')}`);
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, payloadOfOrder(order));
    return order;
  });
}

/**
 * Cancels an unfulfilled order, also while it is pending: restocks its lines and calls `orderCancelers`. Of concurrent
 * cancellations one succeeds.
 * @param expected what the order must still be once it is locked
 * @throws not_found (404), order_already_canceled (409), order_fulfillment_started (409), order_payment_changed (409)
 *   with `expected`
 */
export async function cancelOrder(
  db: TenantDatabase,
  id: string,
  reason?: string,
  expected: Expected = {},
  by?: EntryActor,
): Promise<Order> {
  return db.transaction(async (tx) => {
    requireCancelable(await readOrder(tx, id), expected);
    // Lock order: lines, stock, orders. If a concurrent cancellation was faster, the rollback undoes the restocking.
    await restockAll(tx, id);
    const now = new Date();
    const [canceled] = await tx.update<OrderState>(
      'orders',
      { id, status: 'placed', fulfillmentStatus: 'unfulfilled', paymentStatus: expected.paymentStatus },
      { status: 'canceled', canceledAt: now, updatedAt: now },
    );
    if (!canceled) {
      requireCancelable(await readOrder(tx, id), expected);
      throw new Error(`order ${id} meets all conditions but was not canceled`);
    }
    if (expected.isPending && (canceled.pendingUntil === null || !(await expected.isPending(tx)))) {
      throw orderPaymentChanged();
    }
    await insertOrderEvent(tx, id, 'canceled', reason ? `Canceled: ${reason}` : 'Canceled', by);
    await publish(tx, orderCanceled, { type: 'order', id }, payloadOf(canceled));
    for (const undo of orderCancelers.of(tx)) await undo(tx, canceled, by);
    return readOrder(tx, id);
  });
}

/**
 * Cancels an order that is still pending, unless its payment arrives meanwhile. One that cannot be canceled is left to
 * staff.
 * @param isOver whether to cancel it, decided with the order locked
 */
export async function cancelPending(
  db: TenantDatabase,
  id: string,
  reason: string,
  isOver: (tx: TenantDatabase) => Promise<boolean>,
): Promise<void> {
  await cancelOrder(db, id, reason, { isPending: isOver }).catch((error) => {
    if (!(error instanceof Problem)) throw error;
  });
}

/**
 * Places a locked, pending order, once: from here on it is as if it had been placed without waiting. Call it in the
 * transaction that records the payment, before the payment's own events.
 * @param order as it was locked; its status is changed
 * @throws order_transition_illegal (409)
 */
export async function placePending(tx: TenantDatabase, order: OrderState): Promise<void> {
  const { id } = order;
  if (order.status === 'placed') return;
  requireTransition(order, 'status', 'placed');
  const [placed] = await tx.update<OrderState>('orders', { id }, { pendingUntil: null, updatedAt: new Date() });
  await insertOrderEvent(tx, id, 'placed', placedMessage);
  await publish(tx, orderPlaced, { type: 'order', id }, payloadOf(placed as OrderState));
  Object.assign(order, { status: 'placed', pendingUntil: null });
}

/** A page of the orders of a member, newest first. */
export async function listOwnOrders(
  db: TenantDatabase,
  memberId: string,
  page: { limit: number; cursor?: string },
): Promise<Page<Order>> {
  const { items, nextCursor } = await orders.page(db, { ...page }, { memberId });
  return { items: items.map(orderOf), nextCursor };
}

/** @throws not_found (404), also for an order of another member or of a guest */
export async function readOwnOrder(db: TenantDatabase, memberId: string, id: string): Promise<Order> {
  const order = await readOrder(db, id);
  if (order.memberId !== memberId) throw unknownOrder(id);
  return order;
}

/** Cancels an order of a member, as `cancelOrder` does. @throws as `cancelOrder` and `readOwnOrder` */
export function cancelOwnOrder(db: TenantDatabase, memberId: string, id: string, reason?: string): Promise<Order> {
  return db.transaction(async (tx) => {
    await readOwnOrder(tx, memberId, id);
    return cancelOrder(tx, id, reason, {}, { type: 'shopper', id: memberId });
  });
}

/** Returns the stock that an order still holds; a custom line has none, and units that were written off stay so. */
async function restockAll(tx: TenantDatabase, orderId: string): Promise<void> {
  const held = (await lockOrderLines(tx, orderId)).map((line) => ({
    ...{ lineItemId: line.id, variantId: line.variantId, quantity: heldUnitsOf(line) },
  }));
  const stock = held.flatMap(({ variantId, quantity }): StockLine[] =>
    variantId === null || quantity === 0 ? [] : [{ variantId, quantity }],
  );
  await returnStock(tx, stock, { type: 'order', id: orderId });
  await addRestocked(tx, orderId, held);
}

function requireCancelable(order: OrderStates, expected: Expected): void {
  requireTransition(order, 'status', 'canceled');
  if (expected.paymentStatus !== undefined && expected.paymentStatus !== order.paymentStatus) {
    throw orderPaymentChanged();
  }
}

/** Archives an order, whatever its states are; a no-op if it is archived already. @throws not_found (404) */
export function archiveOrder(db: TenantDatabase, id: string): Promise<Order> {
  return setArchived(db, id, true);
}

/** Unarchives an order; a no-op if it is not archived. @throws not_found (404) */
export function unarchiveOrder(db: TenantDatabase, id: string): Promise<Order> {
  return setArchived(db, id, false);
}

function setArchived(db: TenantDatabase, id: string, archived: boolean): Promise<Order> {
  return db.transaction(async (tx) => {
    if (!(await lockOrder(tx, id))) throw unknownOrder(id);
    const before = await readOrder(tx, id);
    if ((before.archivedAt !== null) === archived) return before;
    const now = new Date();
    await tx.update('orders', { id }, { archivedAt: archived ? now : null, updatedAt: now });
    await insertOrderEvent(tx, id, archived ? 'archived' : 'unarchived', archived ? 'Archived' : 'Unarchived');
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, payloadOfOrder(order));
    return order;
  });
}

/** Lists the timeline of an order, newest first. @throws not_found (404) */
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

/** The payment state of an order: the sums of its payments, in minor units, and the resulting status. */
export type PaymentState = Pick<
  OrderState,
  'paymentStatus' | 'paidAmount' | 'refundedAmount' | 'disputedAmount' | 'excessRefundedAmount'
>;

/**
 * Sets the payment state of an order, and with it the balance, and adds a timeline entry. The only function that changes
 * it. Call it with the order locked (`lockOrder`), in the transaction of the payment.
 * @param order as it was locked
 * @param note for staff: `Paid 19.99 EUR by bank transfer`
 * @throws order_transition_illegal (409)
 */
export async function changePaymentState(
  tx: TenantDatabase,
  order: Pick<OrderState, 'id'> & OrderStates,
  { paymentStatus, paidAmount, refundedAmount, disputedAmount, excessRefundedAmount }: PaymentState,
  note: string,
): Promise<void> {
  const { id } = order;
  requireTransition(order, 'paymentStatus', paymentStatus);
  const [changed] = await tx.update<OrderState>(
    'orders',
    { id, paymentStatus: order.paymentStatus },
    { paymentStatus, paidAmount, refundedAmount, disputedAmount, excessRefundedAmount, updatedAt: new Date() },
  );
  if (!changed) throw new Error(`the order ${id} is not as it was locked`);
  await insertOrderEvent(tx, id, 'payment', note);
  await publish(tx, orderUpdated, { type: 'order', id }, payloadOf(stateOfRow(changed)));
}

/** Adds a timeline entry about payments without changing the payment state. */
export async function addPaymentNote(tx: TenantDatabase, orderId: string, note: string): Promise<void> {
  await insertOrderEvent(tx, orderId, 'payment', note);
}

/**
 * Sets the fulfillment status of an order, which its parcels determine; a no-op if it is that already. The only function
 * that changes it: call it in the transaction that changes a parcel. The caller adds its own timeline entry
 * (`addTimelineEntry`). Locks the order: stock before orders.
 * @throws not_found (404), order_already_canceled, order_pending, order_transition_illegal (409)
 */
export async function changeFulfillmentStatus(
  tx: TenantDatabase,
  orderId: string,
  fulfillmentStatus: OrderState['fulfillmentStatus'],
): Promise<void> {
  const order = await lockOrder(tx, orderId);
  if (!order) throw unknownOrder(orderId);
  if (order.fulfillmentStatus === fulfillmentStatus) return;
  requireTransition(order, 'fulfillmentStatus', fulfillmentStatus);
  const [changed] = await tx.update<OrderState>(
    'orders',
    { id: orderId },
    { fulfillmentStatus, updatedAt: new Date() },
  );
  await publish(tx, orderUpdated, { type: 'order', id: orderId }, payloadOf(stateOfRow(changed as OrderState)));
}
