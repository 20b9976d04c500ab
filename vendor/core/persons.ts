/**
 * Personal data that the engine stores: responses for Idempotency-Keys, and external ids of what was deleted.
 */
import type { PersonalData } from '@carton/runtime';

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
    await tx.query('update deletions set external_id = null where tenant_id = $1 and id = any($2::uuid[])', [ids]);
    const callers = [...sessions.map((hash) => `session ${hash}`), ...(memberId ? [`member ${memberId}`] : [])];
    // The key stays, so that repeating the request still has no second effect.
    await tx.query(
      `update idempotency_keys set body = null
        where tenant_id = $1 and body is not null
          and (caller = any($2::text[])
               or exists (select from unnest($3::text[]) as record (id) where strpos(body, record.id) > 0))`,
      [callers, ids],
    );
  },
};
