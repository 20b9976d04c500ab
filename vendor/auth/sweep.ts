/**
 * The job that deletes expired sessions, invites, links and counts of attempts. Each use checks the expiry by itself;
 * the job only keeps the tables small.
 */
import { job, type TenantDatabase } from '@carton/runtime';

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

const deleteTokens = ['staff_sessions', 'staff_invites', 'staff_tokens'].map(
  (table) => `
  delete from ${table} where tenant_id = $1 and id in (
         select id from ${table} where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${batchSize} for update skip locked)
  returning 1`,
);

const deleteAttempts = `
  delete from auth_attempts where tenant_id = $1 and (kind, subject_hash) in (
         select kind, subject_hash from auth_attempts where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${batchSize} for update skip locked)
  returning 1`;

async function deleteExpired(db: TenantDatabase): Promise<void> {
  for (const text of [...deleteTokens, deleteAttempts]) while ((await db.query(text)).length === batchSize);
}

export const forgetExpired = job({ name: 'auth.forget-expired', everySeconds: 3600, run: deleteExpired });
