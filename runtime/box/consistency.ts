/**
 * Where a box makes a conditional change: the check and the change in one serializable transaction. Whoever else
 * writes to the same rows meanwhile, with If-Match or without, from a request or a job, makes PostgreSQL end it
 * (SQLSTATE class 40), and it begins again at the check. The lock lets conditional changes of one resource wait for one
 * another, also where a handler works outside of this transaction.
 */
import type { ConsistentRunner } from '../http/preconditions.ts';
import type { RequestServices } from './services.ts';

const mostTries = 5;

export const runConsistently: ConsistentRunner<RequestServices> = async (services, resource, work) => {
  // Each shopper's cart stands at the same path.
  const { session } = services;
  const place = `${resource} ${session?.memberId ?? session?.hash ?? ''}`;
  for (let tries = 1; ; tries++) {
    try {
      return await services.db.transaction(
        async (db) => {
          await db.query('select pg_advisory_xact_lock(hashtextextended($1::text || $2::text, 0))', [place]);
          return work({ ...services, db });
        },
        { isolation: 'serializable' },
      );
    } catch (error) {
      // A transaction that it was part of has failed as a whole: not ours to begin again.
      if (!isConflict(error) || tries === mostTries || services.db.inTransaction) throw error;
    }
  }
};

/** A serialization failure or a deadlock. */
function isConflict(error: unknown): boolean {
  return /^40/.test(String((error as { code?: unknown }).code));
}
