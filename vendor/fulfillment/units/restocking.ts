/**
 * Returns the stock of refunded units that are not to be shipped any more, once their refund has succeeded, and of units
 * that were canceled without one.
 *
 * What an order has to return is computed from its locked lines, refunds and parcels, not from the event: a repeated or
 * late delivery finds nothing left to return, nor does one after a cancellation, which has returned all.
 */
import { returnStock } from '@carton/inventory';
import { addRestocked, lockOrderLines, type OrderUnits, orderOfEvent, orderUnitsCanceled } from '@carton/order';
import { refundCreated, unitsToRestock } from '@carton/payment';
import { subscriber, type TenantDatabase } from '@carton/runtime';
import { surplusStockOf } from './service.ts';
import { countUnits } from './store.ts';

/**
 * Returns the stock that an order holds for refunded units in no parcel. Its lines must be locked. Lock order: lines,
 * stock.
 */
export async function restockRefunded(
  tx: TenantDatabase,
  orderId: string,
  lines: readonly OrderUnits[],
): Promise<void> {
  const refunded = await unitsToRestock(tx, orderId);
  if (refunded.size === 0) return;
  const surplus = (await countUnits(tx, orderId, lines))
    .map((line) => ({ line, quantity: surplusStockOf(line, refunded.get(line.id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  if (surplus.length === 0) return;
  const stock = surplus.map(({ line, quantity }) => ({ variantId: line.variantId as string, quantity }));
  await returnStock(tx, stock, { type: 'order', id: orderId });
  await addRestocked(
    tx,
    orderId,
    surplus.map(({ line, quantity }) => ({ lineItemId: line.id, quantity })),
  );
}

/**
 * Each delivery has a transaction of its own, because it locks stock. The refund itself cannot return it: it has locked
 * the order, which comes after stock, and it may still fail.
 */
export const returnRefundedStock = subscriber({
  name: 'fulfillment.restock-refunded',
  events: [refundCreated, orderUnitsCanceled],
  outsideTransaction: true,
  async handle(db, event) {
    const orderId = orderOfEvent(event);
    await db.transaction(async (tx) => restockRefunded(tx, orderId, await lockOrderLines(tx, orderId)));
  },
});
