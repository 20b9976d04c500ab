/**
 * Units that are taken out of an order without money: free ones, and those whose price was refunded by amount. They count as
 * refunded, so they are not shipped and their stock returns, but no refund of a payment has them.
 */
import { publish, type TenantDatabase } from '@carton/runtime';
import { orderUnitsCanceled, payloadOf } from '../events.ts';
import type { OrderState } from '../store.ts';
import { insertOrderEvent } from '../timeline/store.ts';
import { findOrderUnits } from '../units/store.ts';
import { planRefund, type RefundPlan, type RefundRequest, recordRefund } from './service.ts';

export interface FreeUnits extends RefundRequest {
  /** Takes the place of the id of a refund. */
  id: string;
  /** Whether their stock returns; by default it does. */
  restock?: boolean;
  /** For staff. */
  reason?: string;
}

/**
 * Cancels units of a locked order (`lockOrderForRefund`) of which nothing is left to refund.
 * @returns null, and cancels none, if something is left of their price
 * @throws as `planRefund`
 */
export async function cancelFreeUnits(
  tx: TenantDatabase,
  order: OrderState,
  { id, restock = true, reason, ...request }: FreeUnits,
): Promise<RefundPlan | null> {
  const plan = await planRefund(tx, order.id, request);
  const units = plan.parts.filter(({ lineItemId, quantity }) => lineItemId !== null && quantity > 0);
  if (plan.amount > 0 || units.length === 0) return null;
  const lines = await findOrderUnits(tx, [order.id]);
  await recordRefund(tx, order.id, id, plan, restock);
  const named = units.map(({ lineItemId, quantity }) => {
    const title = lines.find((line) => line.id === lineItemId)?.title;
    return `${quantity} × ${title}`;
  });
  const message = `Canceled without a refund: ${named.join(', ')}`;
  await insertOrderEvent(tx, order.id, 'units', reason ? `${message}. ${reason}` : message);
  await publish(tx, orderUnitsCanceled, { type: 'order', id: order.id }, payloadOf(order));
  return plan;
}
