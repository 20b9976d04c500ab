/**
 * The job that deletes expired sessions, invites, links and counts of attempts. Each use checks the expiry by itself;
 * the job only keeps the tables small.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { removeExpired } from './attempts/store.ts';
import { deleteExpired, expiringTables } from './store.ts';

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

async function deleteAllExpired(db: TenantDatabase): Promise<void> {
  for (const table of expiringTables) while ((await deleteExpired(db, table, batchSize)) === batchSize);
  while ((await removeExpired(db, batchSize)) === batchSize);
}

export const forgetExpired = job({ name: 'auth.forget-expired', everySeconds: 3600, run: deleteAllExpired });
