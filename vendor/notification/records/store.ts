/**
 * Queries of the tables of notification.
 */
import { json, type MailEvent, newId, parseEmail, type Resource, rows, type TenantDatabase } from '@carton/runtime';
import { type MailText, type NotificationStatus, notificationStatuses } from './schemas.ts';

export interface TemplateRow {
  id: string;
  key: string;
  enabled: boolean;
  texts: MailText[];
  createdAt: string;
  updatedAt: string;
}

export interface NotificationRow {
  id: string;
  template: string;
  dedupeKey: string;
  status: NotificationStatus;
  resourceType: string;
  resourceId: string;
  /** Null once it is erased. */
  event: MailEvent | null;
  /** Null until the mail is composed, unless it is known before. */
  recipient: string | null;
  locale: string | null;
  subject: string | null;
  messageId: string | null;
  attempts: number;
  error: string | null;
  /** When the limits of guests let it pass; null before, and for mails that no guest has caused. */
  admittedAt: string | null;
  delayedUntil: string | null;
  sentAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export const templates = rows<TemplateRow>({ table: 'notification_templates', noun: 'template', json: ['texts'] });

export const notifications = rows<NotificationRow>({
  table: 'notifications',
  noun: 'notification',
  filters: {
    recipient: (listed, recipient: string) =>
      listed.whereRaw('notifications.recipient_key = lower(?)', [parseEmail(recipient) ?? recipient]),
  },
  choices: { status: notificationStatuses },
});

/** Keys of the templates that the store has disabled. */
export async function findDisabled(db: TenantDatabase): Promise<ReadonlySet<string>> {
  const disabled = await db.query<{ key: string }>(
    'select key from notification_templates where tenant_id = $1 and not enabled',
  );
  return new Set(disabled.map(({ key }) => key));
}

export interface NewNotification {
  template: string;
  dedupeKey: string;
  about: Resource;
  event: MailEvent;
  recipient: string | null;
}

/**
 * Inserts a record, queued unless there is a reason not to send the mail; null if there is one with the same template and
 * key.
 */
export async function insertNotification(
  tx: TenantDatabase,
  { template, dedupeKey, about, event, recipient }: NewNotification,
  notSent: string | null,
): Promise<string | null> {
  const [inserted] = await tx.query<{ id: string }>(
    `insert into notifications
       (tenant_id, id, template, dedupe_key, status, resource_type, resource_id, event, recipient,
        error)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (tenant_id, template, dedupe_key) do nothing returning id`,
    [
      ...[newId(), template, dedupeKey, notSent === null ? 'queued' : 'not_sent', about.type, about.id, json(event)],
      ...[recipient, notSent],
    ],
  );
  return inserted?.id ?? null;
}

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
