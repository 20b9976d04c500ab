/**
 * The events of a resource, as its subscribers get them.
 */
import type { TestTenant } from './box.ts';

export interface PublishedEvent {
  type: string;
  payload: Record<string, unknown>;
}

/** The events of a resource, oldest first. */
export function eventsOf({ db }: Pick<TestTenant, 'db'>, resourceId: string): Promise<PublishedEvent[]> {
  return db.query<PublishedEvent>(
    'select type, payload from event_outbox where tenant_id = $1 and resource_id = $2 order by id',
    [resourceId],
  );
}

/** The types of the events of a resource, oldest first. */
export async function eventTypesOf(tenant: Pick<TestTenant, 'db'>, resourceId: string): Promise<string[]> {
  return (await eventsOf(tenant, resourceId)).map(({ type }) => type);
}
