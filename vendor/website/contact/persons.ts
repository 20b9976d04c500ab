/**
 * Personal data of messages by the contact form.
 */
import type { PersonalData } from '@carton/runtime';

const keysOf = ({ emails }: { emails: readonly string[] }) => [emails.map((email) => email.toLowerCase())];
const bySubject = 'tenant_id = $1 and email_key = any($2::text[])';

export const personalMessages: PersonalData = {
  name: 'contactMessages',
  keeps: [
    {
      table: 'contact_messages',
      columns: ['name', 'email', 'email_key', 'subject', 'message', 'client_key'],
      reason: 'To answer your message, and for an hour to limit the messages of one client.',
      kept: 'until you ask for erasure, at most a year',
    },
  ],
  async find(db, subject) {
    const found = await db.query<{ id: string }>(`select id from contact_messages where ${bySubject}`, keysOf(subject));
    return { records: { contact_message: found.map(({ id }) => id) } };
  },
  async exportData(db, subject) {
    const sent = await db.query(
      `select name, email, subject, message, status, created_at from contact_messages
        where ${bySubject} order by created_at, id`,
      keysOf(subject),
    );
    return sent.length === 0 ? null : sent;
  },
  async erase(tx, subject) {
    await tx.query(`delete from contact_messages where ${bySubject}`, keysOf(subject));
  },
};
