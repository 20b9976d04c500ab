/**
 * What happens to parcels with their order: a cancellation, and refunds of units.
 */
import { type OrderCanceler, type OrderRefundListener, orderFulfillmentStarted } from '@carton/order';
import { markCanceled, refreshOrder } from './service.ts';
import { fulfillments } from './store.ts';

/**
 * Cancels the pending parcels of a canceled order, which has restocked all of its units itself. Shoppers cannot cancel an
 * order that is being packed; staff can, and so does the job that cancels overdue orders.
 */
export const cancelParcels: OrderCanceler = async (tx, { id: orderId }, by) => {
  const pending = await fulfillments.lockAllBy(tx, { orderId, status: 'pending' });
  if (pending.length > 0 && by?.type === 'shopper') throw orderFulfillmentStarted('The order is being packed.');
  for (const { id } of pending) await markCanceled(tx, id, true);
};

/** With its last units refunded, a partially fulfilled order is fulfilled; a failed refund undoes that. */
export const followRefunds: OrderRefundListener = (tx, orderId) => refreshOrder(tx, orderId);
