/**
 * Releases expired reservations.
 */
import type { TenantDatabase } from '@carton/runtime';
import { releaseExpired } from '../movements/service.ts';
import { findExpired } from './store.ts';

const batchSize = 100;

/**
 * Releases every expired reservation, each in its own transaction. Of a release and a concurrent sale or extension, the
 * first to lock the reservation wins. Safe to run concurrently.
 */
export async function releaseExpiredReservations(db: TenantDatabase): Promise<void> {
  for (;;) {
    const references = await findExpired(db, batchSize);
    for (const reference of references) await db.transaction((tx) => releaseExpired(tx, reference));
    if (references.length < batchSize) return;
  }
}
