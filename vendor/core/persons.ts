/**
 * Personal data that the engine stores: responses for Idempotency-Keys, and external ids of what was deleted.
 */
import type { PersonalData } from '@carton/runtime';
import { forgetExternalIds, forgetResponses } from './persons-store.ts';

/**
 * Responses to the person's sessions and account, and responses to staff that mention the person's records; deletions
 * of these records.
 */
export const storedResponses: PersonalData = {
  name: 'kept-answers',
  keeps: [
    {
      table: 'idempotency_keys',
      columns: ['body'],
      reason: 'To give a repeated request the response of the first one.',
      kept: '24 hours',
    },
    {
      table: 'deletions',
      columns: ['external_id'],
      reason: 'To tell other systems of the store what was deleted.',
      kept: '91 days, or until you ask for erasure',
    },
  ],
  // The data are copies of what other sections export.
  exportData: async () => null,
  async erase(tx, { memberId, sessions, records }) {
    const ids = Object.values(records).flat();
    await forgetExternalIds(tx, ids);
    const callers = [...sessions.map((hash) => `session ${hash}`), ...(memberId ? [`member ${memberId}`] : [])];
    await forgetResponses(tx, callers, ids);
  },
};
