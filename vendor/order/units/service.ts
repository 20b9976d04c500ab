/**
 * What stock an order holds, and returning it.
 */
import { returnStock, type StockLine } from '@carton/inventory';
import type { TenantDatabase } from '@carton/runtime';
import { addRestocked, lockOrderLines, type OrderUnits } from './store.ts';

/** The units of a line whose stock the order holds, whether they are to be shipped or not. */
export function heldUnitsOf({
  quantity,
  restockedQuantity,
  writtenOffQuantity,
}: Pick<OrderUnits, 'quantity' | 'restockedQuantity' | 'writtenOffQuantity'>): number {
  return Math.max(0, quantity - restockedQuantity - writtenOffQuantity);
}

/**
 * Of units that are refunded without returning their stock, those that the order holds beyond what it still ships: the
 * stock of the others has returned already, such as with a canceled parcel.
 * @param line before the refund
 */
export function writtenOffBy(line: OrderUnits, quantity: number): number {
  const left = line.quantity - line.refundedQuantity - quantity;
  return Math.min(quantity, Math.max(0, heldUnitsOf(line) - left));
}

/** Returns the stock that an order still holds; a custom line has none, and units that were written off stay so. */
export async function restockAll(tx: TenantDatabase, orderId: string): Promise<void> {
  const held = (await lockOrderLines(tx, orderId)).map((line) => ({
    ...{ lineItemId: line.id, variantId: line.variantId, quantity: heldUnitsOf(line) },
  }));
  const stock = held.flatMap(({ variantId, quantity }): StockLine[] =>
    variantId === null || quantity === 0 ? [] : [{ variantId, quantity }],
  );
  await returnStock(tx, stock, { type: 'order', id: orderId });
  await addRestocked(tx, orderId, held);
}
