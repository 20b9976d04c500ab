/**
 * Queries of mails that are sent: claims, outcomes, delays.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { NotificationRow } from '../records/store.ts';

/** A claim expires before the delivery's, after 60 seconds. */
const leaseSeconds = 55;

/** Claims a queued mail for one attempt; null if it is not queued or another box has claimed it. */
export async function claimNotification(db: TenantDatabase, id: string): Promise<NotificationRow | null> {
  const [claimed] = await db.query<NotificationRow>(
    `update notifications
        set attempts = attempts + 1, lease_until = now() + interval '${leaseSeconds} seconds', updated_at = now()
      where tenant_id = $1 and id = $2 and status = 'queued' and delayed_until is null
        and (lease_until is null or lease_until < now())
  returning *`,
    [id],
  );
  return claimed ?? null;
}

type Changes = Partial<Pick<NotificationRow, 'status' | 'recipient' | 'locale' | 'subject' | 'messageId' | 'error'>>;

/** Changes a claimed mail; false if another box has claimed it since. */
export async function changeClaimed(
  db: TenantDatabase,
  { id, attempts }: NotificationRow,
  changes: Changes & { sentAt?: Date; leaseUntil?: null; delayedUntil?: Date },
): Promise<boolean> {
  const where = { id, attempts, status: 'queued' };
  return (await db.update('notifications', where, { ...changes, updatedAt: new Date() })).length > 0;
}

const keyColumns = { recipient: 'recipient_key', client: 'client_key' } as const;

/**
 * When a further mail to a recipient, or by a client, is within the limit of an hour; null if it is now.
 */
export async function countAdmitted(
  tx: TenantDatabase,
  of: keyof typeof keyColumns,
  key: string,
  limit: number,
): Promise<Date | null> {
  const [last] = await tx.query<{ free: Date }>(
    `select admitted_at + interval '1 hour' as free from notifications
      where tenant_id = $1 and ${keyColumns[of]} = $2 and admitted_at > now() - interval '1 hour'
      order by admitted_at desc offset $3 limit 1`,
    [key, limit - 1],
  );
  return last ? new Date(last.free) : null;
}

/** Records that a claimed mail was let pass: it counts for the limits of its recipient and of its client from now on. */
export async function markAdmitted(
  tx: TenantDatabase,
  id: string,
  { recipient, clientKey }: { recipient: string; clientKey: string | null },
): Promise<void> {
  await tx.query(
    'update notifications set admitted_at = now(), recipient = $3, client_key = $4 where tenant_id = $1 and id = $2',
    [id, recipient, clientKey],
  );
}

/** Few rows at a time, so that none is locked for long. */
const releaseBatch = 100;

/** Ends the delay of mails whose time has come. */
export function releaseDelayed(tx: TenantDatabase): Promise<NotificationRow[]> {
  return tx.query<NotificationRow>(
    `update notifications set delayed_until = null, updated_at = now()
      where tenant_id = $1 and id in (
            select id from notifications
             where tenant_id = $1 and delayed_until <= now()
             order by delayed_until, id limit ${releaseBatch} for update skip locked)
  returning *`,
  );
}
