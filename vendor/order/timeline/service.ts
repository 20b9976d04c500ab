/**
 * Writing and reading the timeline of orders.
 */
import { actorOf, type HasExtensions, type Page, type TenantDatabase } from '@carton/runtime';
import { readOrder } from '../service.ts';
import type { OrderEvent } from './schemas.ts';
import { insertOrderEvent, listOrderEvents, type OrderEventRow } from './store.ts';
import { labelOf, typesIn } from './types.ts';

/**
 * Adds an entry to the timeline of an order. Its actor is that of `tx`, or the system.
 * @param type declared by a package of the box (`orderTimelineTypes`)
 * @param message for staff, one line: `2 of 3 shipped with UPS`
 * @throws Error for an undeclared type
 */
export async function addTimelineEntry(
  tx: TenantDatabase,
  orderId: string,
  type: string,
  message: string,
): Promise<void> {
  if (!typesIn(tx).some((known) => known.type === type)) throw new Error(`no package declares the type ${type}`);
  await insertOrderEvent(tx, orderId, type, message);
}

/** Adds a timeline entry about payments without changing the payment state. */
export async function addPaymentNote(tx: TenantDatabase, orderId: string, note: string): Promise<void> {
  await insertOrderEvent(tx, orderId, 'payment', note);
}

/** Lists the timeline of an order, newest first. @throws not_found (404) */
export async function listTimeline(
  db: TenantDatabase,
  id: string,
  page: { limit: number; cursor?: string },
): Promise<Page<OrderEvent>> {
  await readOrder(db, id);
  const { items, nextCursor } = await listOrderEvents(db, page, { orderId: id });
  return { items: items.map((row) => orderEventOf(db, row)), nextCursor };
}

/** @throws not_found (404) */
export async function addNote(db: TenantDatabase, id: string, note: string): Promise<OrderEvent> {
  await readOrder(db, id);
  return orderEventOf(db, await insertOrderEvent(db, id, 'note', note));
}

function orderEventOf(box: HasExtensions, row: OrderEventRow): OrderEvent {
  const { id, type, message, createdAt } = row;
  return { id, type, label: labelOf(box, type), message, actor: actorOf(row), createdAt };
}
