/**
 * What has become of the units of an order's lines. Computed from the parcels each time; nothing is counted apart.
 */
import type { OrderState, OrderUnits } from '@carton/order';

/** The units of a line. */
export interface LineUnits extends OrderUnits {
  /** Units in parcels that are not canceled. */
  packed: number;
  /** Units in parcels that have been shipped. */
  shipped: number;
}

type Counted = Pick<LineUnits, 'quantity' | 'refundedQuantity' | 'requiresShipping' | 'packed' | 'shipped'>;

/** The units that are to reach the shopper: those that were not refunded, of lines that need a parcel. */
export function shippableOf({ requiresShipping, quantity, refundedQuantity }: Omit<Counted, 'packed' | 'shipped'>) {
  return requiresShipping ? quantity - refundedQuantity : 0;
}

/** The units that can be put into a parcel. */
export function remainingOf(line: Counted): number {
  return Math.max(0, shippableOf(line) - line.packed);
}

/**
 * The fulfillment status of an order. The only place that derives it: of shipped units, so a pending parcel does not
 * change it. With nothing left to ship the order is fulfilled, also because the rest was refunded.
 */
export function fulfillmentStatusOf(lines: readonly Counted[]): OrderState['fulfillmentStatus'] {
  if (lines.every(({ shipped }) => shipped === 0)) return 'unfulfilled';
  return lines.every((line) => line.shipped >= shippableOf(line)) ? 'fulfilled' : 'partially_fulfilled';
}

/** The units whose stock the order does not hold any more, once these are in parcels too: they have to be taken again. */
export function missingStockOf({ variantId, quantity, restockedQuantity, packed }: LineUnits, further: number): number {
  return variantId === null ? 0 : Math.max(0, packed + further - (quantity - restockedQuantity));
}

/**
 * The units whose stock an order holds though they are not to be shipped: of those that refunds return to stock, what is
 * neither in a parcel nor returned already.
 * @param refunded units of the line that succeeded refunds return to stock
 */
export function surplusStockOf(
  { variantId, quantity, restockedQuantity, packed }: LineUnits,
  refunded: number,
): number {
  const needed = Math.max(packed, quantity - refunded);
  return variantId === null ? 0 : Math.max(0, quantity - restockedQuantity - needed);
}
