/**
 * Grants that follow their orders: made once the order is paid in full, ended by a refund or a cancellation, and opened
 * again if the refund fails.
 *
 * All is computed from the locked order, its refunds and its grants, not from the event: a repeated or late delivery finds
 * nothing left to do.
 */
import { findStore } from '@carton/core';
import {
  addTimelineEntry,
  balanceOf,
  findOrderUnits,
  isPlacedUnpaid,
  isRefundedInFull,
  lockOrder,
  type OrderState,
  type OrderUnits,
  orderCanceled,
  orderOfEvent,
  orderPlaced,
  orderUnitsCanceled,
} from '@carton/order';
import { paymentCaptured, refundCreated } from '@carton/payment';
import { newId, publish, subscriber, type TenantDatabase } from '@carton/runtime';
import { lockFilesOf } from '../files/store.ts';
import { linksRequested } from './events.ts';
import { downloadSettings } from './settings.ts';
import { grantedLines, insertGrants, type LineEnd, setEnds } from './store.ts';

const day = 24 * 60 * 60 * 1000;

/** Each delivery has a transaction of its own, since it locks an order. */
export const followOrders = subscriber({
  name: 'download.follow-orders',
  events: [orderPlaced, orderCanceled, orderUnitsCanceled, paymentCaptured, refundCreated],
  outsideTransaction: true,
  concerns: (event) => !isPlacedUnpaid(event),
  async handle(db, event) {
    const orderId = orderOfEvent(event);
    const isPayment = event.type === orderPlaced.type || event.type === paymentCaptured.type;
    await db.transaction<unknown>((tx) =>
      isPayment ? followPayment(tx, orderId, event.createdAt) : followRefunds(tx, orderId),
    );
  },
});

/**
 * Ends the grants of an order by its state, opens those again whose refund has failed, and makes those that it lacks.
 * @param paidAt the time of the payment: later files are not granted
 */
export async function followPayment(tx: TenantDatabase, orderId: string, paidAt: string): Promise<void> {
  const { order, lines } = (await followRefunds(tx, orderId)) ?? {};
  if (!order || !lines || balanceOf(order) > 0) return;
  const entitled = lines.filter((line) => endOf(order, line) === null);
  await grantFiles(tx, order, entitled, paidAt);
}

/** The same without making any. */
export async function followRefunds(
  tx: TenantDatabase,
  orderId: string,
): Promise<{ order: OrderState; lines: OrderUnits[] } | null> {
  const order = await lockOrder(tx, orderId);
  if (!order) return null;
  const lines = await findOrderUnits(tx, [orderId]);
  await endGrants(
    tx,
    orderId,
    lines.map((line) => ({ lineItemId: line.id, end: endOf(order, line) })),
  );
  return { order, lines };
}

/** What ended the right to a line; null if nothing did. */
function endOf(order: OrderState, { quantity, refundedQuantity }: OrderUnits): LineEnd['end'] {
  if (order.status === 'canceled') return 'cancellation';
  return isRefundedInFull(order) || refundedQuantity >= quantity ? 'refund' : null;
}

/** Ends the grants of lines, and opens those again whose refund has failed. */
async function endGrants(tx: TenantDatabase, orderId: string, ends: readonly LineEnd[]): Promise<void> {
  const changed = await setEnds(tx, orderId, ends);
  const ended = changed.find((end) => end !== null);
  if (ended) await addTimelineEntry(tx, orderId, 'download', `Downloads ended: ${ended}`);
  else if (changed.length > 0) await addTimelineEntry(tx, orderId, 'download', 'Downloads are open again');
}

/** Grants the files of the variants to lines that have no grant yet. */
async function grantFiles(
  tx: TenantDatabase,
  { id: orderId }: OrderState,
  lines: readonly OrderUnits[],
  paidAt: string,
): Promise<void> {
  const variantIds = lines.flatMap(({ variantId }) => variantId ?? []);
  if (variantIds.length === 0) return;
  const granted = await grantedLines(tx, orderId);
  // Locked against deletion: what is granted keeps its file.
  const files = await lockFilesOf(tx, variantIds, paidAt);
  const found = lines
    .filter(({ id }) => !granted.includes(id))
    .flatMap((line) => files.filter(({ variantId }) => variantId === line.variantId).map((file) => ({ line, file })));
  if (found.length === 0) return;
  const { maxDownloads, validDays } = downloadSettings.of(await findStore(tx));
  const expiresAt = validDays === null ? null : new Date(Date.now() + validDays * day);
  const grants = found.map(({ line, file }) => ({
    ...{ id: newId(), orderId, lineItemId: line.id, downloadId: file.id, maxDownloads, expiresAt },
  }));
  await insertGrants(tx, grants);
  const names = [...new Set(found.map(({ file }) => file.fileName))];
  await addTimelineEntry(tx, orderId, 'download', `Downloads granted: ${names.join(', ')}`);
  const grantIds = grants.map(({ id }) => id);
  await publish(tx, linksRequested, { type: 'order', id: orderId }, { orderId, grantIds });
}
