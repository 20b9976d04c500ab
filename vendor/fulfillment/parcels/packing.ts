/**
 * Packing: units of an order are put into a new parcel.
 */
import { takeStock } from '@carton/inventory';
import {
  addRestocked,
  findOrderUnits,
  lockOrder,
  lockOrderLines,
  orderAlreadyCanceled,
  orderAwaitsPayment,
  unknownOrder,
} from '@carton/order';
import { invalidField, type TenantDatabase } from '@carton/runtime';
import { findOrderShipping } from '@carton/shipping';
import { fulfillmentExceedsOrder } from '../problems.ts';
import { trackingOf } from '../tracking/service.ts';
import { type LineUnits, missingStockOf, remainingOf } from '../units/service.ts';
import { countUnits } from '../units/store.ts';
import { record } from './record.ts';
import type { CreateFulfillment, Fulfillment } from './schemas.ts';
import { readFulfillment } from './service.ts';
import { type FulfillmentRow, fulfillments, insertItems, nextNumber } from './store.ts';

/**
 * Puts units of an order into a parcel, by default all that are left. Stock is taken only for units whose stock a
 * canceled parcel has returned: the order holds that of the others.
 * @throws not_found (404), invalid_request (400), order_already_canceled, order_pending, fulfillment_exceeds_order,
 *   insufficient_stock, external_id_taken (409)
 */
export function createFulfillment(db: TenantDatabase, orderId: string, body: CreateFulfillment): Promise<Fulfillment> {
  const { items, shippingProfile, tracking = [], externalId = null, metadata = {} } = body;
  return db.transaction(async (tx) => {
    const lines = await countUnits(tx, orderId, await lockOrderLines(tx, orderId));
    if (lines.length === 0) throw unknownOrder(orderId);
    // A cancellation locks the lines, too, so the status is that of the end of the transaction.
    if (lines[0]?.orderStatus === 'canceled') throw orderAlreadyCanceled();
    if (lines[0]?.orderStatus === 'pending') throw orderAwaitsPayment();
    const packed = items ? requestedOf(lines, items) : leftOf(lines);
    await takeAgain(tx, orderId, packed);
    await lockOrder(tx, orderId);
    // Units may have been refunded before the order was locked.
    requireRemaining(await countUnits(tx, orderId, await findOrderUnits(tx, [orderId])), packed);
    const { id } = await fulfillments.insert(tx, {
      ...{ orderId, number: await nextNumber(tx, orderId), tracking: trackingOf(tracking), externalId, metadata },
      ...(await methodOf(tx, orderId, shippingProfile)),
    });
    await insertItems(
      tx,
      { id, orderId },
      packed.map(({ line, quantity }) => ({ lineItemId: line.id, quantity })),
    );
    const created = await readFulfillment(tx, id);
    await record(tx, 'created', created);
    return created;
  });
}

/** Units of a line that go into a parcel. */
interface Packed {
  line: LineUnits;
  quantity: number;
}

function requestedOf(lines: readonly LineUnits[], items: NonNullable<CreateFulfillment['items']>): Packed[] {
  return items.map(({ lineItemId, quantity }, at) => {
    const pointer = `/items/${at}/lineItemId`;
    const line = lines.find(({ id }) => id === lineItemId);
    if (!line) throw invalidField(pointer, 'is not an item of the order');
    if (!line.requiresShipping) throw invalidField(pointer, 'needs no parcel');
    if (items.findIndex((each) => each.lineItemId === lineItemId) !== at) throw invalidField(pointer, 'is a duplicate');
    return { line, quantity };
  });
}

function leftOf(lines: readonly LineUnits[]): Packed[] {
  const left = lines.map((line) => ({ line, quantity: remainingOf(line) })).filter(({ quantity }) => quantity > 0);
  if (left.length === 0) throw fulfillmentExceedsOrder('Nothing is left to ship.');
  return left;
}

function requireRemaining(lines: readonly LineUnits[], packed: readonly Packed[]): void {
  for (const { line, quantity } of packed) {
    const current = lines.find(({ id }) => id === line.id) as LineUnits;
    const remaining = remainingOf(current);
    if (quantity > remaining) {
      throw fulfillmentExceedsOrder(`${line.title}: ${remaining} of ${line.quantity} units are left to ship.`);
    }
  }
}

/** Takes stock for units whose stock was returned. @throws insufficient_stock (409) */
async function takeAgain(tx: TenantDatabase, orderId: string, packed: readonly Packed[]): Promise<void> {
  const missing = packed
    .map(({ line, quantity }) => ({ line, quantity: Math.min(missingStockOf(line, quantity), line.restockedQuantity) }))
    .filter(({ quantity }) => quantity > 0);
  if (missing.length === 0) return;
  const stock = missing.map(({ line, quantity }) => ({ variantId: line.variantId as string, quantity }));
  await takeStock(tx, stock, { type: 'order', id: orderId });
  await addRestocked(
    tx,
    orderId,
    missing.map(({ line, quantity }) => ({ lineItemId: line.id, quantity: -quantity })),
  );
}

/** The shipping option of the goods: of this profile or, without one, the only one of the order. */
async function methodOf(
  tx: TenantDatabase,
  orderId: string,
  profile: string | null | undefined,
): Promise<Partial<FulfillmentRow>> {
  const { items } = await findOrderShipping(tx, orderId);
  const method = profile === undefined ? items[0] : items.find((each) => each.profile === profile);
  if (profile !== undefined && !method) throw invalidField('/shippingProfile', 'has no shipping option in the order');
  if (!method || (profile === undefined && items.length > 1)) return {};
  const { optionId: shippingOptionId, profile: shippingProfile, name: shippingName, type: shippingType } = method;
  return { shippingOptionId, shippingProfile, shippingName, shippingType };
}
