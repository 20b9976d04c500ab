/**
 * The job that deletes expired sessions and links. Each use checks the expiry by itself; the job keeps the tables small
 * and forgets registrations that were never verified.
 */
import { job, type TenantDatabase } from '@carton/runtime';

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

const deleteRows = ['member_sessions', 'member_tokens'].map(
  (table) => `
  delete from ${table} where tenant_id = $1 and id in (
         select id from ${table} where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${batchSize} for update skip locked)
  returning 1`,
);

async function deleteExpired(db: TenantDatabase): Promise<void> {
  for (const text of deleteRows) while ((await db.query(text)).length === batchSize);
}

export const forgetExpired = job({ name: 'member.forget-expired', everySeconds: 3600, run: deleteExpired });
