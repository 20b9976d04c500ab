/**
 * Rules of parcels. Everything that changes one locks in the same order: the lines of its order, stock, the order. So the
 * units in parcels never exceed those of the order, and of a shipment and a cancellation of the order one succeeds.
 */
import { returnStock, type StockLine } from '@carton/inventory';
import {
  addRestocked,
  changeFulfillmentStatus,
  findOrder,
  findOrderUnits,
  lockOrder,
  lockOrderLines,
  unknownOrder,
} from '@carton/order';
import { encodeCursor, type IntegrationPage, type TenantDatabase } from '@carton/runtime';
import { fulfillmentItemsRefunded } from '../problems.ts';
import { trackingOf } from '../tracking/service.ts';
import { restockRefunded } from '../units/restocking.ts';
import { fulfillmentStatusOf, type LineUnits, returningStockOf, shippableOf } from '../units/service.ts';
import { countUnits } from '../units/store.ts';
import { record } from './record.ts';
import type {
  CancelFulfillment,
  ChangeFulfillment,
  Fulfillment,
  FulfillmentQuery,
  ShipFulfillment,
} from './schemas.ts';
import { type actions, isEffective } from './states.ts';
import { type FulfillmentRow, fulfillments, withItems } from './store.ts';

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

/** More than an order has. */
const maxParcels = 1000;

/** The parcels of a member's order, without those that were canceled. @throws not_found (404), also for an order of another */
export async function listOwnFulfillments(
  db: TenantDatabase,
  memberId: string,
  orderId: string,
): Promise<{ items: Fulfillment[] }> {
  const order = await findOrder(db, orderId);
  if (order?.memberId !== memberId) throw unknownOrder(orderId);
  const found = await fulfillments.findAllBy(db, { orderId }, maxParcels);
  const parcels = found.filter(({ status }) => status !== 'canceled').sort((one, other) => one.number - other.number);
  return { items: await withItems(db, parcels) };
}

/** @throws not_found (404) */
export async function readFulfillment(db: TenantDatabase, id: string): Promise<Fulfillment> {
  const [found] = await withItems(db, [await fulfillments.require(db, id)]);
  return found as Fulfillment;
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
