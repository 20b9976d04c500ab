/**
 * Queries of `contact_messages`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { type MessageRow, messageStatuses } from './schemas.ts';

export const messages = rows<MessageRow>({
  table: 'contact_messages',
  noun: 'contact message',
  choices: { status: messageStatuses },
});

const lastHour = "> now() - interval '1 hour'";

/** The messages that a client has sent in the last hour: with an e-mail address, and all. */
export async function countOfClient(
  db: TenantDatabase,
  { clientKey, emailKey }: Pick<MessageRow, 'clientKey' | 'emailKey'>,
): Promise<{ own: number; all: number }> {
  const [counted] = await db.query<{ own: number; all: number }>(
    `select count(*) filter (where email_key = $2)::int as own, count(*)::int as all from contact_messages
      where tenant_id = $1 and created_at ${lastHour} and client_key is not distinct from $3`,
    [emailKey, clientKey],
  );
  return counted ?? { own: 0, all: 0 };
}

/** The messages of which the store was told in the last hour. */
export async function countAnnounced(db: TenantDatabase): Promise<number> {
  const [counted] = await db.query<{ count: number }>(
    `select (select count(*) from contact_messages
              where tenant_id = $1 and created_at ${lastHour} and not mail_delayed and announced_at is null)::int
          + (select count(*) from contact_messages where tenant_id = $1 and announced_at ${lastHour})::int as count`,
  );
  return counted?.count ?? 0;
}

/** Marks the oldest messages whose mails wait as announced. */
export function announceOldest(tx: TenantDatabase, limit: number): Promise<Pick<MessageRow, 'id' | 'createdAt'>[]> {
  return tx.query(
    `update contact_messages set mail_delayed = false, announced_at = now()
      where tenant_id = $1 and id in (
              select id from contact_messages where tenant_id = $1 and mail_delayed order by created_at, id limit $2)
      returning id, created_at`,
    [limit],
  );
}

/** Removes what tells the clients of messages once nothing is counted by it. */
export async function forgetClients(db: TenantDatabase): Promise<void> {
  await db.query(
    `update contact_messages set client_key = null
      where tenant_id = $1 and client_key is not null and not created_at ${lastHour}`,
  );
}

/** Deletes at most `most` messages that are older than days, the oldest first. Returns their number. */
export async function deleteOlderThan(db: TenantDatabase, days: number, most: number): Promise<number> {
  const deleted = await db.query(
    `delete from contact_messages where tenant_id = $1 and id in (
            select id from contact_messages
             where tenant_id = $1 and created_at < now() - $2 * interval '1 day'
             order by created_at limit $3)
     returning id`,
    [days, most],
  );
  return deleted.length;
}

/** The messages that were sent with one of these e-mail addresses (`keysOf`). */
const bySender = 'tenant_id = $1 and email_key = any($2::text[])';
const keysOf = (emails: readonly string[]) => [emails.map((email) => email.toLowerCase())];

export async function listIdsBySender(db: TenantDatabase, emails: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(`select id from contact_messages where ${bySender}`, keysOf(emails));
  return found.map(({ id }) => id);
}

/** What people have written with one of these e-mail addresses, the oldest first. */
export function listBySender(db: TenantDatabase, emails: readonly string[]): Promise<object[]> {
  return db.query(
    `select name, email, subject, message, status, created_at from contact_messages
      where ${bySender} order by created_at, id`,
    keysOf(emails),
  );
}

export async function removeBySender(tx: TenantDatabase, emails: readonly string[]): Promise<void> {
  await tx.query(`delete from contact_messages where ${bySender}`, keysOf(emails));
}
