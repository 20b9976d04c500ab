/**
 * Canceling orders.
 */
import { extensionPoint, Problem, publish, type TenantDatabase } from '@carton/runtime';
import { orderCanceled, payloadOf } from '../events.ts';
import type { Order } from '../present.ts';
import { readOrder } from '../service.ts';
import type { OrderState } from '../store.ts';
import { type EntryActor, insertOrderEvent } from '../timeline/store.ts';
import { restockAll } from '../units/service.ts';
import { orderPaymentChanged } from './problems.ts';
import { updateCanceled } from './store.ts';
import { type OrderStates, requireTransition } from './transitions.ts';

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
    const canceled = await updateCanceled(tx, id, expected.paymentStatus);
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

function requireCancelable(order: OrderStates, expected: Expected): void {
  requireTransition(order, 'status', 'canceled');
  if (expected.paymentStatus !== undefined && expected.paymentStatus !== order.paymentStatus) {
    throw orderPaymentChanged();
  }
}
