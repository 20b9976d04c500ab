/**
 * Dispatch: each event in the outbox of a tenant becomes a delivery for each of its subscribers. One replica at a time
 * dispatches for a tenant, in the order of the events, so that no event of a resource is delivered before an earlier
 * one is dispatched. Deliveries of a tenant are numbered here: their positions have the order of dispatch, whichever
 * replica wrote the events.
 */
import { newId } from '../db/id.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { HasExtensions } from '../extension/extension.ts';
import type { EventReader } from './recorded.ts';
import type { DispatchedEvent, Subscriber } from './subscriber.ts';

/** The name of the row in `background_tasks` that is locked during dispatch. */
export const dispatchTask = 'events.dispatch';

const maxBatch = 500;

interface WaitingEvent {
  id: string;
  type: string;
  resourceType: string;
  resourceId: string;
  payload: unknown;
  createdAt: string;
  /** Seconds since it was written. */
  age: number;
}

/** The result of one round of dispatch. */
export interface FanOutResult {
  events: number;
  /** Age of the oldest of them, in seconds. */
  oldest: number;
  /** True when there may be more. */
  hasMore: boolean;
}

const nothing: FanOutResult = { events: 0, oldest: 0, hasMore: false };

/** Dispatches the next events of a tenant; does nothing while another replica dispatches for it. */
export function fanOut(
  db: TenantDatabase,
  subscribers: readonly Subscriber[],
  reader: EventReader,
): Promise<FanOutResult> {
  return db.transaction(async (tx) => {
    const [task] = await tx.query<{ lastPosition: number }>(
      'select last_position from background_tasks where tenant_id = $1 and name = $2 for update skip locked',
      [dispatchTask],
    );
    if (!task) return nothing;
    const events = await tx.query<WaitingEvent>(
      `select id, type, resource_type, resource_id, payload, created_at, extract(epoch from clock_timestamp() - created_at)::float8 as age
         from event_outbox where tenant_id = $1 and dispatched_at is null order by position, id limit ${maxBatch}`,
    );
    if (events.length === 0) return nothing;
    let { lastPosition } = task;
    const deliveries = events
      .flatMap((event) => deliveriesOf(tx, event, subscribers, reader))
      .map((delivery) => ({ ...delivery, position: ++lastPosition }));
    await Promise.all([
      deliveries.length > 0 && insertDeliveries(tx, deliveries, lastPosition),
      tx.query('update event_outbox set dispatched_at = now() where tenant_id = $1 and id = any($2)', [
        events.map(({ id }) => id),
      ]),
    ]);
    const oldest = Math.max(...events.map(({ age }) => age));
    return { events: events.length, oldest, hasMore: events.length === maxBatch };
  });
}

/** They keep the type that is recorded; subscribers decide by the event as it is read. */
function deliveriesOf(
  box: HasExtensions,
  { id: eventId, type, resourceType, resourceId, payload, createdAt }: WaitingEvent,
  subscribers: readonly Subscriber[],
  reader: EventReader,
) {
  const resource = { type: resourceType, id: resourceId };
  const event = reader.read({ id: eventId, type, resource, payload, createdAt });
  return subscribers
    .filter((subscriber) => subscribesTo(box, subscriber, event, reader))
    .map(({ name, orderedBy }) => ({
      id: newId(),
      eventId,
      type,
      subscriber: name,
      resourceId: orderedBy?.(box, event) ?? resourceId,
    }));
}

function subscribesTo(
  box: HasExtensions,
  { events, concerns }: Subscriber,
  event: DispatchedEvent,
  reader: EventReader,
): boolean {
  const types = typeof events === 'function' ? events(box) : events;
  const isMeant = types === 'all' ? reader.isForAll(event.type) : types.some(({ type }) => type === event.type);
  return isMeant && (concerns?.(event) ?? true);
}

async function insertDeliveries(
  tx: TenantDatabase,
  deliveries: readonly object[],
  lastPosition: number,
): Promise<void> {
  const insert = tx.query(
    `insert into event_deliveries (tenant_id, id, event_id, type, subscriber, position, resource_id)
     select $1, id, "eventId", type, subscriber, position, "resourceId"
       from jsonb_to_recordset($2::jsonb)
            as delivery (id uuid, "eventId" uuid, type text, subscriber text, position bigint, "resourceId" uuid)`,
    [JSON.stringify(deliveries)],
  );
  const updateTask = tx.query('update background_tasks set last_position = $3 where tenant_id = $1 and name = $2', [
    dispatchTask,
    lastPosition,
  ]);
  await Promise.all([insert, updateTask]);
}
