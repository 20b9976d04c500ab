/**
 * Queries of the records of mails.
 */
import { json, type MailEvent, newId, parseEmail, type Resource, rows, type TenantDatabase } from '@carton/runtime';
import { type NotificationStatus, notificationStatuses } from './schemas.ts';

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

export const notifications = rows<NotificationRow>({
  table: 'notifications',
  noun: 'notification',
  filters: {
    recipient: (listed, recipient: string) =>
      listed.whereRaw('notifications.recipient_key = lower(?)', [parseEmail(recipient) ?? recipient]),
  },
  choices: { status: notificationStatuses },
});

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

/** Whose mails: by addresses in lower case, or about these resources. */
interface Recipients {
  keys: readonly string[];
  resourceIds: readonly string[];
}

const toRecipients = '(recipient_key = any($2::text[]) or resource_id = any($3::uuid[]))';

/** Mails for the export of a person, in the order in which they were recorded. */
export function exportMails(db: TenantDatabase, { keys, resourceIds }: Recipients): Promise<object[]> {
  return db.query(
    `select template, recipient, subject, status, created_at, sent_at from notifications
      where tenant_id = $1 and ${toRecipients} order by created_at, id`,
    [keys, resourceIds],
  );
}

/** Removes what tells of a person. Mails that are queued are not sent. */
export async function eraseMails(tx: TenantDatabase, { keys, resourceIds }: Recipients): Promise<void> {
  await tx.query(
    `update notifications
        set recipient = null, subject = null, event = null, error = null, message_id = null, client_key = null,
            delayed_until = null, updated_at = now(),
            status = case when status = 'queued' then 'not_sent' else status end
      where tenant_id = $1 and ${toRecipients}`,
    [keys, resourceIds],
  );
}

/** Few rows at a time, so that none is locked for long. */
const deleteBatch = 1000;

/** Deletes some records with lower ids whose mails are not queued. @returns whether there may be more */
export async function deleteBefore(db: TenantDatabase, id: string): Promise<boolean> {
  const deleted = await db.query(
    `delete from notifications
      where tenant_id = $1 and id in (
            select id from notifications where tenant_id = $1 and id < $2 and status <> 'queued' limit ${deleteBatch})
     returning id`,
    [id],
  );
  return deleted.length === deleteBatch;
}
