/**
 * Answers that are kept for Idempotency-Keys, and the person they speak of.
 */
import type { PersonalData } from '@carton/runtime';

/** Answers given to the person, by their sessions and their account, and those given to staff about their records. */
export const personalAnswers: PersonalData = {
  name: 'kept-answers',
  keeps: [
    {
      table: 'idempotency_keys',
      columns: ['body'],
      reason: 'To answer a request that is sent twice the same both times.',
      kept: '24 hours',
    },
  ],
  // Each is a copy of what another section tells.
  exportData: async () => null,
  async erase(tx, { memberId, sessions, records }) {
    const callers = [...sessions.map((hash) => `session ${hash}`), ...(memberId ? [`member ${memberId}`] : [])];
    // The key stays: the same request sent again must not be carried out again.
    await tx.query(
      `update idempotency_keys set body = null
        where tenant_id = $1 and body is not null
          and (caller = any($2::text[])
               or exists (select from unnest($3::text[]) as record (id) where strpos(body, record.id) > 0))`,
      [callers, Object.values(records).flat()],
    );
  },
};
