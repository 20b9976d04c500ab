/**
 * Events as an earlier release has left them in the database: recorded under a type of that release, waiting for their
 * dispatch or for a delivery.
 */
import { newId } from '../db/id.ts';
import { wakeBackground } from '../events/outbox.ts';
import type { TestBox, TestTenant } from './box.ts';

export interface RecordedEvent {
  type: string;
  resource: { type: string; id: string };
  payload: object;
  /** The subscriber to which the earlier release has dispatched it; absent if it waits for the dispatch. */
  subscriber?: string;
}

/** Writes these rows of one tenant, and wakes its worker. Returns the ids of the events. */
export async function recordEvents(
  { owner }: Pick<TestBox, 'owner'>,
  { id: tenantId, db }: Pick<TestTenant, 'id' | 'db'>,
  events: readonly RecordedEvent[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const { type, resource, payload, subscriber } of events) {
    const id = newId();
    ids.push(id);
    await owner.query(
      `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload, dispatched_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tenantId, id, type, resource.type, resource.id, JSON.stringify(payload), subscriber ? new Date() : null],
    );
    if (!subscriber) continue;
    await owner.query(
      `insert into event_deliveries (tenant_id, id, event_id, type, subscriber, position, resource_id)
       values ($1, $2, $3, $4, $5, 0, $6)`,
      [tenantId, newId(), id, type, subscriber, resource.id],
    );
  }
  wakeBackground(db);
  return ids;
}
