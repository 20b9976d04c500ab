/**
 * Changes of the states of orders, except for cancellation.
 */
import { publish, type TenantDatabase } from '@carton/runtime';
import { orderPlaced, orderUpdated, payloadOf } from '../events.ts';
import { unknownOrder } from '../service.ts';
import { lockOrder, type OrderState } from '../store.ts';
import { insertOrderEvent } from '../timeline/store.ts';
import { placedMessage } from '../timeline/types.ts';
import { type PaymentState, updateFulfillmentStatus, updatePaymentState, updatePlaced } from './store.ts';
import { type OrderStates, requireTransition } from './transitions.ts';

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
  const placed = await updatePlaced(tx, id);
  await insertOrderEvent(tx, id, 'placed', placedMessage);
  await publish(tx, orderPlaced, { type: 'order', id }, payloadOf(placed));
  Object.assign(order, { status: 'placed', pendingUntil: null });
}

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
  state: PaymentState,
  note: string,
): Promise<void> {
  const { id } = order;
  requireTransition(order, 'paymentStatus', state.paymentStatus);
  const changed = await updatePaymentState(tx, order, state);
  if (!changed) throw new Error(`the order ${id} is not as it was locked`);
  await insertOrderEvent(tx, id, 'payment', note);
  await publish(tx, orderUpdated, { type: 'order', id }, payloadOf(changed));
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
  const changed = await updateFulfillmentStatus(tx, orderId, fulfillmentStatus);
  await publish(tx, orderUpdated, { type: 'order', id: orderId }, payloadOf(changed));
}
