/**
 * What the engine keeps for a while only: answers to Idempotency-Keys, events that every subscriber has taken, and what
 * was deleted when.
 */
import { job } from '../background/job.ts';
import { firstIdAt } from '../db/id.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { idempotencyKeyLifetimeHours } from '../http/idempotency.ts';
import { deletionRetentionDays } from '../http/integration.ts';
import { Type } from '../http/schemas.ts';
import { packageSettings } from '../package/settings.ts';

export const retention = packageSettings({
  EVENT_RETENTION_DAYS: Type.Integer({
    minimum: 1,
    maximum: 3650,
    default: 30,
    description: 'Days for which events are kept that every subscriber has taken; what is dead or waits stays',
  }),
});

/** Few at a time, so that no statement holds its rows for long. */
const rowsAtOnce = 1000;

const forgetKeys = `
  delete from idempotency_keys
   where tenant_id = $1 and (caller, operation_id, key) in (
         select caller, operation_id, key from idempotency_keys
          where tenant_id = $1 and created_at < now() - $2 * interval '1 hour' limit ${rowsAtOnce})
  returning key`;

/** An id tells when its event was written, so the old ones stand at the beginning of the primary key. */
const forgetEvents = `
  delete from event_outbox
   where tenant_id = $1 and id in (
         select id from event_outbox event
          where tenant_id = $1 and id < $2 and dispatched_at is not null
            and not exists (select from event_deliveries delivery
                             where delivery.tenant_id = $1 and delivery.event_id = event.id and status <> 'delivered')
          limit ${rowsAtOnce})
  returning id`;

/** A day longer than lists promise: a reader who was let in meets nobody who removes what it reads. */
const forgetDeletions = `
  delete from deletions
   where tenant_id = $1 and (resource, id) in (
         select resource, id from deletions
          where tenant_id = $1 and deleted_at < now() - ($2 + 1) * interval '1 day' limit ${rowsAtOnce})
  returning id`;

async function repeat(db: TenantDatabase, text: string, limit: number | string): Promise<void> {
  while ((await db.query(text, [limit])).length === rowsAtOnce);
}

export const forgetOldRows = job({
  // Of the package that contributes it; the name is kept with the time when it is due.
  name: 'core.forget-old-rows',
  everySeconds: 3600,
  async run(db) {
    await repeat(db, forgetKeys, idempotencyKeyLifetimeHours);
    await repeat(db, forgetDeletions, deletionRetentionDays);
    const days = retention.of(db).EVENT_RETENTION_DAYS;
    await repeat(db, forgetEvents, firstIdAt(new Date(Date.now() - days * 86_400_000)));
  },
});
