/**
 * The job that deletes expired sessions, invites, links and counts of attempts. Each use checks the expiry by itself;
 * the job only keeps the tables small.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { deleteExpiredCounts } from './attempts/store.ts';
import { deleteExpired, expiringTables } from './store.ts';

async function deleteAllExpired(db: TenantDatabase): Promise<void> {
  for (const table of expiringTables) while (await deleteExpired(db, table));
  while (await deleteExpiredCounts(db));
}

export const forgetExpired = job({ name: 'auth.forget-expired', everySeconds: 3600, run: deleteAllExpired });
