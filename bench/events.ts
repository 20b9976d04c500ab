/**
 * The events of measured orders: the box delivers its own between the rounds, and none of those of its peer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TenantDatabase } from '@carton/runtime';

interface EventBacklog {
  /** Events that are not dispatched. */
  undispatched: number;
  undelivered: number;
  failed: number;
}

/** Reports the backlog of events after the last order, and waits until it is empty. @throws Error if a delivery fails */
export async function waitForEvents(db: TenantDatabase): Promise<void> {
  const count = async () => {
    const [row] = await db.query<EventBacklog>(
      `select (select count(*) from event_outbox where tenant_id = $1 and dispatched_at is null) as undispatched,
              (select count(*) from event_deliveries where tenant_id = $1 and status = 'pending') as undelivered,
              (select count(*) from event_deliveries where tenant_id = $1 and error is not null) as failed`,
    );
    return row as EventBacklog;
  };
  const started = performance.now();
  const { undispatched, undelivered } = await count();
  for (let now = await count(); now.undispatched + now.undelivered > 0; now = await count()) {
    if (now.failed > 0 || performance.now() - started > 120_000)
      throw new Error(`events were not delivered: ${JSON.stringify(now)}`);
    await sleep(50);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `after the last order, ${undispatched} events were not dispatched and ${undelivered} not delivered; that took ${seconds} s more`,
  );
}

/** Marks the events that a peer of the box has inserted as dispatched, before the box continues. */
export async function skipEvents(db: TenantDatabase): Promise<void> {
  await db.query('update event_outbox set dispatched_at = now() where tenant_id = $1 and dispatched_at is null');
}
