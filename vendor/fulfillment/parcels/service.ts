/**
 * Rules of parcels. Everything that changes one locks in the same order: the lines of its order, stock, the order. So the
 * units in parcels never exceed those of the order, and of a shipment and a cancellation of the order one succeeds.
 */
import { returnStock, type StockLine, takeStock } from '@carton/inventory';
import {
  addRestocked,
  changeFulfillmentStatus,
  findOrderUnits,
  lockOrder,
  lockOrderLines,
  orderAlreadyCanceled,
  orderAwaitsPayment,
  unknownOrder,
} from '@carton/order';
import { encodeCursor, type IntegrationPage, invalidField, type TenantDatabase } from '@carton/runtime';
import { findOrderShipping } from '@carton/shipping';
import { fulfillmentExceedsOrder, fulfillmentItemsRefunded } from '../problems.ts';
import { trackingOf } from '../tracking/service.ts';
import {
  fulfillmentStatusOf,
  type LineUnits,
  missingStockOf,
  remainingOf,
  returningStockOf,
  shippableOf,
} from '../units/counts.ts';
import { restockRefunded } from '../units/restocking.ts';
import { record } from './record.ts';
import type {
  CancelFulfillment,
  ChangeFulfillment,
  CreateFulfillment,
  Fulfillment,
  FulfillmentQuery,
  ShipFulfillment,
} from './schemas.ts';
import { type actions, isEffective } from './states.ts';
import { countUnits, type FulfillmentRow, fulfillments, nextNumber, withItems } from './store.ts';

/** Before any other in the order of ids. */
const lowestId = '00000000-0000-0000-0000-000000000000';

/**
 * A page of parcels, newest first. A period is a part of the list: it begins at `createdTo`, by a cursor, and ends at
 * `createdFrom`.
 * @throws invalid_request (400) for a cursor of another list
 */
export async function listFulfillments(
  db: TenantDatabase,
  filters: FulfillmentQuery,
): Promise<IntegrationPage<Fulfillment>> {
  const { createdFrom, createdTo, ...query } = filters;
  const start =
    createdTo === undefined ? undefined : encodeCursor(['newest', new Date(createdTo).toISOString(), lowestId]);
  // The page of changes has no filters, and rejects these.
  const selected = query.updatedAfter === undefined ? { ...query, cursor: query.cursor ?? start } : filters;
  const page = await fulfillments.page(db, selected);
  const first = createdFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(createdFrom);
  const within = page.items.filter(({ createdAt }) => Date.parse(createdAt) >= first);
  const nextCursor = within.length < page.items.length ? null : page.nextCursor;
  return { ...page, items: await withItems(db, within), nextCursor };
}

/** @throws not_found (404) */
export async function readFulfillment(db: TenantDatabase, id: string): Promise<Fulfillment> {
  const [found] = await withItems(db, [await fulfillments.require(db, id)]);
  return found as Fulfillment;
}

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
    await tx.insertMany(
      'fulfillment_items',
      packed.map(({ line, quantity }) => ({ fulfillmentId: id, orderId, lineItemId: line.id, quantity })),
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

/** @throws not_found (404), invalid_request (400), fulfillment_state_conflict (409), external_id_taken (409) */
export function changeFulfillment(db: TenantDatabase, id: string, patch: ChangeFulfillment): Promise<Fulfillment> {
  const { tracking, ...others } = patch;
  return db.transaction(async (tx) => {
    const { parcel } = await lockParcel(tx, id);
    if (tracking) isEffective('track', parcel.status);
    await fulfillments.change(tx, id, { ...others, ...(tracking && { tracking: trackingOf(tracking) }) });
    return readFulfillment(tx, id);
  });
}

/** A parcel and the lines of its order, both locked. @throws not_found (404) */
async function lockParcel(tx: TenantDatabase, id: string): Promise<{ parcel: FulfillmentRow; lines: LineUnits[] }> {
  const { orderId } = await fulfillments.require(tx, id);
  const lines = await lockOrderLines(tx, orderId);
  // Read again: the lock on the lines serializes all changes of the parcels of an order.
  return { parcel: await fulfillments.require(tx, id), lines: await countUnits(tx, orderId, lines) };
}

/** Does an action in a transaction, unless the parcel is in its state already. */
function act(
  db: TenantDatabase,
  action: keyof typeof actions,
  id: string,
  work: (tx: TenantDatabase, parcel: FulfillmentRow) => Promise<Fulfillment>,
): Promise<Fulfillment> {
  return db.transaction(async (tx) => {
    const { parcel } = await lockParcel(tx, id);
    return isEffective(action, parcel.status) ? work(tx, parcel) : readFulfillment(tx, id);
  });
}

/**
 * Marks a parcel as shipped; a no-op if it is. Units that were refunded since it was created are not shipped.
 * @throws not_found (404), fulfillment_state_conflict (409), fulfillment_items_refunded (409)
 */
export function shipFulfillment(db: TenantDatabase, id: string, { tracking }: ShipFulfillment): Promise<Fulfillment> {
  return act(db, 'ship', id, async (tx, { orderId, units }) => {
    await lockOrder(tx, orderId);
    requireNotRefunded(await countUnits(tx, orderId, await findOrderUnits(tx, [orderId])), units);
    await fulfillments.change(tx, id, {
      ...{ status: 'shipped', shippedAt: new Date().toISOString() },
      ...(tracking && { tracking: trackingOf(tracking) }),
    });
    await refreshOrder(tx, orderId);
    const shipped = await readFulfillment(tx, id);
    await record(tx, 'shipped', shipped);
    return shipped;
  });
}

function requireNotRefunded(lines: readonly LineUnits[], units: FulfillmentRow['units']): void {
  for (const { lineItemId, quantity } of units) {
    const line = lines.find(({ id }) => id === lineItemId) as LineUnits;
    const left = Math.max(0, shippableOf(line) - line.shipped);
    if (quantity > left) {
      const detail = `${line.title}: ${left} of ${quantity} units are still to be shipped. Cancel the fulfillment and create another one.`;
      throw fulfillmentItemsRefunded(detail);
    }
  }
}

/** Derives the fulfillment status of an order, which must be locked, from its parcels and refunds. */
export async function refreshOrder(tx: TenantDatabase, orderId: string): Promise<void> {
  const lines = await countUnits(tx, orderId, await findOrderUnits(tx, [orderId]));
  await changeFulfillmentStatus(tx, orderId, fulfillmentStatusOf(lines));
}

/** Marks a parcel as delivered; a no-op if it is. @throws not_found (404), fulfillment_state_conflict (409) */
export function deliverFulfillment(db: TenantDatabase, id: string): Promise<Fulfillment> {
  return act(db, 'deliver', id, async (tx) => {
    await fulfillments.change(tx, id, { status: 'delivered', deliveredAt: new Date().toISOString() });
    const delivered = await readFulfillment(tx, id);
    await record(tx, 'delivered', delivered);
    return delivered;
  });
}

/**
 * Cancels a parcel that has not been shipped, a no-op if it is canceled already. Its units are left to ship again. Their
 * stock returns unless `restock` is false; whatever was taken for the order returns only once, here or with the
 * cancellation of the order, and what was written off does not return.
 * @throws not_found (404), fulfillment_state_conflict (409)
 */
export function cancelFulfillment(
  db: TenantDatabase,
  id: string,
  { restock = true }: CancelFulfillment,
): Promise<Fulfillment> {
  return act(db, 'cancel', id, async (tx, { orderId, units }) => {
    if (restock) await restockUnits(tx, orderId, units);
    const canceled = await markCanceled(tx, id, restock);
    // Units that were refunded while they were in the parcel are not kept for another one.
    await restockRefunded(tx, orderId, await findOrderUnits(tx, [orderId]));
    return canceled;
  });
}

async function restockUnits(tx: TenantDatabase, orderId: string, units: FulfillmentRow['units']): Promise<void> {
  const lines = await countUnits(tx, orderId, await findOrderUnits(tx, [orderId]));
  const restocked = units.flatMap(({ lineItemId, quantity: inParcel }) => {
    const line = lines.find(({ id }) => id === lineItemId) as LineUnits;
    const quantity = returningStockOf(line, inParcel);
    return quantity > 0 ? [{ lineItemId, variantId: line.variantId as string, quantity }] : [];
  });
  const stock = restocked.map(({ variantId, quantity }): StockLine => ({ variantId, quantity }));
  await returnStock(tx, stock, { type: 'order', id: orderId });
  await addRestocked(tx, orderId, restocked);
}

/** Cancels a parcel; the lines of its order must be locked. */
export async function markCanceled(tx: TenantDatabase, id: string, restocked: boolean): Promise<Fulfillment> {
  await fulfillments.change(tx, id, { status: 'canceled', restocked, canceledAt: new Date().toISOString() });
  const canceled = await readFulfillment(tx, id);
  await record(tx, 'canceled', canceled, restocked ? 'Restocked' : undefined);
  return canceled;
}
