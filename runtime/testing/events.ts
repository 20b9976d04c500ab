/**
 * The events that a tenant has published, as its subscribers get them.
 */
import type { DeliveredEvent } from '../events/subscriber.ts';
import type { TestTenant } from './box.ts';
import { until } from './waiting.ts';

export type PublishedEvent<Payload = Record<string, unknown>> = Omit<DeliveredEvent<Payload>, 'deliveryId' | 'attempt'>;

export interface EventFilter {
  resourceId?: string;
  type?: string | RegExp;
}

type HasDatabase = Pick<TestTenant, 'db'>;

/** The events of a tenant, oldest first. @param of which: those of the resource with this id, or that a filter names */
export async function eventsOf<Payload = Record<string, unknown>>(
  { db }: HasDatabase,
  of: string | EventFilter = {},
): Promise<PublishedEvent<Payload>[]> {
  const { resourceId, type }: EventFilter = typeof of === 'string' ? { resourceId: of } : of;
  const events = await db.query<PublishedEvent<Payload>>(
    `select id, type, json_build_object('type', resource_type, 'id', resource_id) as resource, payload, created_at
       from event_outbox where tenant_id = $1 and ($2::uuid is null or resource_id = $2) order by position, id`,
    [resourceId ?? null],
  );
  if (type === undefined) return events;
  return events.filter((event) => (typeof type === 'string' ? event.type === type : type.test(event.type)));
}

/** The types of these events, oldest first. */
export async function eventTypesOf(tenant: HasDatabase, of: string | EventFilter = {}): Promise<string[]> {
  return (await eventsOf(tenant, of)).map(({ type }) => type);
}

/** The payloads of these events, oldest first. */
export async function payloadsOf<Payload = Record<string, unknown>>(
  tenant: HasDatabase,
  of: string | EventFilter = {},
): Promise<Payload[]> {
  return (await eventsOf<Payload>(tenant, of)).map(({ payload }) => payload);
}

/** Resolves when no event and no delivery of the tenant is pending, whenever its next attempt. */
export async function untilDelivered({ db }: HasDatabase): Promise<void> {
  await until(
    () =>
      db.query<{ waiting: boolean }>(
        `select exists (select from event_outbox where tenant_id = $1 and dispatched_at is null)
             or exists (select from event_deliveries where tenant_id = $1 and status = 'pending') as waiting`,
      ),
    ([row]) => row?.waiting === false,
  );
}
