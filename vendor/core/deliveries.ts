/**
 * Queries of `event_deliveries`, which the engine writes: for staff who look after what was not delivered.
 */
import { type Page, paginate, type TenantDatabase, wakeBackground } from '@carton/runtime';
import type { EventDelivery, EventDeliveryQuery } from './schemas.ts';

interface DeliveryRow extends Omit<EventDelivery, 'event'> {
  eventId: string;
  type: string;
  resourceType: string;
  resourceId: string;
  payload: unknown;
  eventCreatedAt: string;
}

function deliveriesOf(db: TenantDatabase) {
  return db
    .table<DeliveryRow>('event_deliveries')
    .join('event_outbox as event', (on) =>
      on.on('event.tenantId', 'event_deliveries.tenantId').on('event.id', 'event_deliveries.eventId'),
    )
    .select(
      'event_deliveries.*',
      'event.type',
      'event.resourceType',
      'event.payload',
      'event.createdAt as eventCreatedAt',
    );
}

function present(row: DeliveryRow): EventDelivery {
  const { eventId, type, resourceType, resourceId, payload, eventCreatedAt, ...delivery } = row;
  const resource = { type: resourceType, id: resourceId };
  return { ...delivery, event: { id: eventId, type, createdAt: eventCreatedAt, resource, payload } };
}

export async function listDeliveries(db: TenantDatabase, query: EventDeliveryQuery): Promise<Page<EventDelivery>> {
  const { status, subscriber, type, resourceId, ...page } = query;
  const deliveries = deliveriesOf(db);
  const equal = {
    'event_deliveries.subscriber': subscriber,
    'event_deliveries.resource_id': resourceId,
    'event.type': type,
  };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) deliveries.where(column, value);
  // Written out, so that the index of what is not delivered is known to hold it.
  if (status !== undefined) deliveries.whereRaw(`event_deliveries.status = '${status}'`);
  const { items, nextCursor } = await paginate<DeliveryRow>(deliveries as never, 'event_deliveries', page);
  return { items: items.map(present), nextCursor };
}

export async function findDelivery(db: TenantDatabase, id: string): Promise<EventDelivery | null> {
  const [row] = (await deliveriesOf(db).where('event_deliveries.id', id)) as DeliveryRow[];
  return row ? present(row) : null;
}

/** Has a delivery tried anew, at once; null for one that is delivered or unknown. */
export async function retryDelivery(db: TenantDatabase, id: string): Promise<EventDelivery | null> {
  const now = new Date();
  const patch = { status: 'pending', attempts: 0, nextAttemptAt: now, updatedAt: now };
  const [changed] = await db.update('event_deliveries', { id, status: ['pending', 'dead'] }, patch);
  if (!changed) return null;
  wakeBackground(db);
  return findDelivery(db, id);
}
