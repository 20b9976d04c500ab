/**
 * Personal data of notifications: to whom a mail was sent, and about what. The texts of mails are not stored.
 */
import type { PersonalData } from '@carton/runtime';

const belongsToSubject = `
  (recipient_key = any($2::text[]) or resource_id = any($3::uuid[]))`;

const values = ({
  emails,
  records,
}: {
  emails: readonly string[];
  records: Readonly<Record<string, readonly string[]>>;
}) => [emails.map((email) => email.toLowerCase()), Object.values(records).flat()];

export const personalNotifications: PersonalData = {
  name: 'notifications',
  keeps: [
    {
      table: 'notifications',
      columns: ['recipient', 'recipient_key', 'subject', 'event', 'message_id', 'error', 'client_key'],
      reason: 'To send you mails about your orders, and to see whether they were sent.',
      kept: 'until you ask for erasure, at most as long as the store keeps records of mails (90 days unless set otherwise)',
    },
  ],
  async exportData(db, subject) {
    const mails = await db.query(
      `select template, recipient, subject, status, created_at, sent_at from notifications
        where tenant_id = $1 and ${belongsToSubject} order by created_at, id`,
      values(subject),
    );
    return mails.length === 0 ? null : mails;
  },
  async erase(tx, subject) {
    await tx.query(
      `update notifications
          set recipient = null, subject = null, event = null, error = null, message_id = null, client_key = null,
              delayed_until = null, updated_at = now(),
              status = case when status = 'queued' then 'not_sent' else status end
        where tenant_id = $1 and ${belongsToSubject}`,
      values(subject),
    );
  },
};
