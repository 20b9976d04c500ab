/**
 * Personal data in responses that are stored for Idempotency-Keys.
 */
import type { PersonalData } from '@carton/runtime';

/** Responses to the person's sessions and account, and responses to staff that mention the person's records. */
export const storedResponses: PersonalData = {
  name: 'kept-answers',
  keeps: [
    {
      table: 'idempotency_keys',
      columns: ['body'],
      reason: 'To give a repeated request the response of the first one.',
      kept: '24 hours',
    },
  ],
  // The data are copies of what other sections export.
  exportData: async () => null,
  async erase(tx, { memberId, sessions, records }) {
    const callers = [...sessions.map((hash) => `session ${hash}`), ...(memberId ? [`member ${memberId}`] : [])];
    // The key stays, so that repeating the request still has no second effect.
    await tx.query(
      `update idempotency_keys set body = null
        where tenant_id = $1 and body is not null
          and (caller = any($2::text[])
               or exists (select from unnest($3::text[]) as record (id) where strpos(body, record.id) > 0))`,
      [callers, Object.values(records).flat()],
    );
  },
};
