/**
 * What has run out goes, also of people who never come back: sessions, invites, links and counts of attempts. Whether one
 * still holds is asked of its expiry at each use; this keeps the tables small.
 */
import { job, type TenantDatabase } from '@carton/runtime';

/** Few at a time, so that no statement holds its rows for long. */
const rowsAtOnce = 1000;

const statements = ['staff_sessions', 'staff_invites', 'staff_tokens'].map(
  (table) => `
  delete from ${table} where tenant_id = $1 and id in (
         select id from ${table} where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${rowsAtOnce} for update skip locked)
  returning 1`,
);

const forgetAttempts = `
  delete from auth_attempts where tenant_id = $1 and (kind, subject_hash) in (
         select kind, subject_hash from auth_attempts where tenant_id = $1 and expires_at <= now()
          order by expires_at limit ${rowsAtOnce} for update skip locked)
  returning 1`;

async function forget(db: TenantDatabase): Promise<void> {
  for (const text of [...statements, forgetAttempts]) while ((await db.query(text)).length === rowsAtOnce);
}

export const forgetExpired = job({ name: 'auth.forget-expired', everySeconds: 3600, run: forget });
