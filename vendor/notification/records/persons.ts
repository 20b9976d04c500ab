/**
 * Personal data of notifications: to whom a mail was sent, and about what. The texts of mails are not stored.
 */
import type { PersonalData, Subject } from '@carton/runtime';
import { eraseMails, exportMails } from './store.ts';

const recipientsOf = ({ emails, records }: Pick<Subject, 'emails' | 'records'>) => ({
  keys: emails.map((email) => email.toLowerCase()),
  resourceIds: Object.values(records).flat(),
});

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
    const mails = await exportMails(db, recipientsOf(subject));
    return mails.length === 0 ? null : mails;
  },
  erase: (tx, subject) => eraseMails(tx, recipientsOf(subject)),
};
