/**
 * Conditional changes in a box: the check and the change run in one serializable transaction. When another writer
 * changes the same rows meanwhile, with or without If-Match, from a request or a job, PostgreSQL aborts the transaction
 * (SQLSTATE class 40) and it is retried from the check. The advisory lock serializes conditional changes of one
 * resource, including those of handlers that work outside this transaction.
 */
import { setTimeout } from 'node:timers/promises';
import type { ConsistentRunner } from '../http/preconditions.ts';
import type { RequestServices } from './services.ts';

const maxAttempts = 10;

/** Random, so that requests that undo each other's transactions do not meet again: at most 10 ms, doubled up to 320. */
const pauseBefore = (attempt: number) => setTimeout(Math.random() * 10 * 2 ** Math.min(attempt - 1, 5));

export const runConsistently: ConsistentRunner<RequestServices> = async (services, resource, work) => {
  // The carts of all shoppers share one path.
  const { session } = services;
  const lockName = `${resource} ${session?.memberId ?? session?.hash ?? ''}`;
  for (let attempt = 1; ; attempt++) {
    try {
      return await services.db.transaction(
        async (db) => {
          await db.query('select pg_advisory_xact_lock(hashtextextended($1::text || $2::text, 0))', [lockName]);
          return work({ ...services, db });
        },
        { isolation: 'serializable' },
      );
    } catch (error) {
      // Inside an outer transaction only its owner can retry.
      if (!isConflict(error) || attempt === maxAttempts || services.db.inTransaction) throw error;
      await pauseBefore(attempt);
    }
  }
};

/** A serialization failure or a deadlock. */
function isConflict(error: unknown): boolean {
  return /^40/.test(String((error as { code?: unknown }).code));
}
