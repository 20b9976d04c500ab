/**
 * What has become of the units of an order's lines. Computed from the parcels each time; nothing is counted apart.
 */
import { heldUnitsOf, type OrderState, type OrderUnits } from '@carton/order';

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
export function missingStockOf(line: LineUnits, further: number): number {
  return line.variantId === null ? 0 : Math.max(0, line.packed + further - heldUnitsOf(line));
}

/**
 * Of the units of a parcel, those whose stock returns with its cancellation: what the order holds and other parcels do not
 * need. Units that were written off since they were packed do not return.
 */
export function returningStockOf(line: LineUnits, inParcel: number): number {
  const others = line.packed - inParcel;
  return line.variantId === null ? 0 : Math.min(inParcel, Math.max(0, heldUnitsOf(line) - others));
}

/**
 * The units whose stock an order holds though they are not to be shipped: of those that refunds return to stock, what is
 * neither in a parcel nor returned already.
 * @param refunded units of the line that succeeded refunds return to stock
 */
export function surplusStockOf(line: LineUnits, refunded: number): number {
  const { variantId, quantity, writtenOffQuantity, packed } = line;
  const needed = Math.max(packed, quantity - writtenOffQuantity - refunded);
  return variantId === null ? 0 : Math.max(0, heldUnitsOf(line) - needed);
}
