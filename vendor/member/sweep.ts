/**
 * The job that deletes expired sessions and links. Each use checks the expiry by itself; the job keeps the tables small
 * and forgets registrations that were never verified.
 */
import { job, type TenantDatabase } from '@carton/runtime';
import { deleteExpired, expiringTables } from './store.ts';

/** Small batches, so that no statement locks its rows for long. */
const batchSize = 1000;

async function deleteAllExpired(db: TenantDatabase): Promise<void> {
  for (const table of expiringTables) while ((await deleteExpired(db, table, batchSize)) === batchSize);
}

export const forgetExpired = job({ name: 'member.forget-expired', everySeconds: 3600, run: deleteAllExpired });
