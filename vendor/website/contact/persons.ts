/**
 * Personal data of messages by the contact form.
 */
import type { PersonalData } from '@carton/runtime';
import { listBySender, listIdsBySender, removeBySender } from './store.ts';

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
  async find(db, { emails }) {
    return { records: { contact_message: await listIdsBySender(db, emails) } };
  },
  async exportData(db, { emails }) {
    const sent = await listBySender(db, emails);
    return sent.length === 0 ? null : sent;
  },
  async erase(tx, { emails }) {
    await removeBySender(tx, emails);
  },
};
