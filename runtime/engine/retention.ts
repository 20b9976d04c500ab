/**
 * Retention: deletes stored responses of idempotency keys, delivered events and tombstones after a time.
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
    description: 'Days for which delivered events are stored; events with pending or dead deliveries stay',
  }),
});

/** Rows in one statement: few, so that none holds its row locks for long. */
const batchSize = 1000;

const deleteKeys = `
  delete from idempotency_keys
   where tenant_id = $1 and (caller, operation_id, key) in (
         select caller, operation_id, key from idempotency_keys
          where tenant_id = $1 and created_at < now() - $2 * interval '1 hour' limit ${batchSize})
  returning key`;

/** Ids contain the time, so old events are at the beginning of the primary key. */
const deleteEvents = `
  delete from event_outbox
   where tenant_id = $1 and id in (
         select id from event_outbox event
          where tenant_id = $1 and id < $2 and dispatched_at is not null
            and not exists (select from event_deliveries delivery
                             where delivery.tenant_id = $1 and delivery.event_id = event.id and status <> 'delivered')
          limit ${batchSize})
  returning id`;

/** A day longer than lists promise: rows are never deleted while an accepted request reads them. */
const deleteTombstones = `
  delete from deletions
   where tenant_id = $1 and (resource, id) in (
         select resource, id from deletions
          where tenant_id = $1 and deleted_at < now() - ($2 + 1) * interval '1 day' limit ${batchSize})
  returning id`;

async function deleteInBatches(db: TenantDatabase, text: string, limit: number | string): Promise<void> {
  while ((await db.query(text, [limit])).length === batchSize);
}

export const deleteOldRows = job({
  // Named after the package that contributes it. The name is stored in `background_tasks` and must not change.
  name: 'core.forget-old-rows',
  everySeconds: 3600,
  async run(db) {
    await deleteInBatches(db, deleteKeys, idempotencyKeyLifetimeHours);
    await deleteInBatches(db, deleteTombstones, deletionRetentionDays);
    const days = retention.of(db).EVENT_RETENTION_DAYS;
    await deleteInBatches(db, deleteEvents, firstIdAt(new Date(Date.now() - days * 86_400_000)));
  },
});
