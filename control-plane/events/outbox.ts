/**
 * The outbox: events are rows, written in the transaction of the change, and dispatched to webhooks later. A crash at any
 * moment leaves both the change and its event, or neither.
 */
import { newId, type Page, paginate, type Static, type TSchema } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Event } from './schemas.ts';
import type { EventDefinition } from './types.ts';

/** Days for which events are kept, with their deliveries. */
export const eventDays = 90;

export interface EventSubject {
  /** `license`; events of one resource are sent in the order in which they were recorded. */
  resource: string;
  id: string;
  customerId: string | null;
}

/**
 * Records an event. The transaction has changed or locked the resource before, so that events of one resource have the
 * order of its changes.
 * @returns the id of the event
 */
export async function recordEvent<Payload extends TSchema>(
  transaction: Knex.Transaction,
  { type }: EventDefinition<Payload>,
  { resource, id: resourceId, customerId }: EventSubject,
  payload: Static<Payload>,
): Promise<string> {
  const id = newId();
  await transaction('events').insert({
    id,
    type,
    resourceType: resource,
    resourceId,
    customerId,
    payload: JSON.stringify(payload),
  });
  return id;
}

/** An event as stored. */
export interface EventRow {
  id: string;
  type: string;
  resourceType: string;
  resourceId: string;
  payload: unknown;
  createdAt: string;
}

export const eventColumns = ['id', 'type', 'resourceType', 'resourceId', 'payload', 'createdAt'].map(
  (column) => `events.${column}`,
);

/** An event as it is sent and listed. */
export function shownEvent({ id, type, createdAt, resourceType, resourceId, payload }: EventRow): Event {
  return { id, type, createdAt, resource: { type: resourceType, id: resourceId }, payload };
}

export interface EventFilter {
  type?: string;
  customerId?: string;
  resourceId?: string;
  from?: string;
  to?: string;
}

/** Selects events. `from` is included, `to` is not. */
export function selectEvents(db: Knex, { type, customerId, resourceId, from, to }: EventFilter): Knex.QueryBuilder {
  const query = db('events');
  if (type !== undefined) query.where('events.type', type);
  if (customerId !== undefined) query.where('events.customerId', customerId);
  if (resourceId !== undefined) query.where('events.resourceId', resourceId);
  if (from !== undefined) query.where('events.createdAt', '>=', from);
  if (to !== undefined) query.where('events.createdAt', '<', to);
  return query;
}

/** Reads a page of events, newest first. */
export async function listEvents(
  db: Knex,
  { limit, cursor, ...filter }: EventFilter & { limit: number; cursor?: string },
): Promise<Page<Event>> {
  const query = selectEvents(db, filter).select(eventColumns);
  const { items, nextCursor } = await paginate<EventRow>(query as never, 'events', {
    limit,
    ...(cursor !== undefined && { cursor }),
  });
  return { items: items.map(shownEvent), nextCursor };
}

/** Removes all events of a customer, and with them their deliveries and attempts. Returns how many events. */
export function eraseEventsOf(db: Knex, customerId: string): Promise<number> {
  return db('events').where({ customerId }).delete();
}

/** Removes events that are older than `eventDays`, with their deliveries. Returns how many. */
export function removeOldEvents(db: Knex): Promise<number> {
  return db('events').whereRaw(`created_at < now() - interval '${eventDays} days'`).delete();
}
