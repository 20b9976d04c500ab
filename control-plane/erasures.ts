/**
 * Which customers were erased. Whatever stores something under a customer's id does so while it shares the lock of
 * erasures: an erasure waits for it, and what comes after the erasure finds the mark.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';

/** Key of the advisory lock. */
const lock = 6_120_337_415;

/** Days after which a mark is removed: longer than a registry keeps a report that it cannot deliver. */
export const markDays = 400;

/** Shares the lock until the end of the transaction. The transaction's next statement sees what was erased before. */
export async function shareErasures(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock_shared(?)', [lock]);
}

/** Waits for all who share the lock, and keeps it until the end of the transaction. */
export async function lockErasures(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('select pg_advisory_xact_lock(?)', [lock]);
}

const hashOf = (customerId: string) => createHash('sha256').update(customerId).digest('hex');

/** Marks a customer as erased. Returns whether it was already. */
export async function markErased(transaction: Knex.Transaction, customerId: string): Promise<boolean> {
  const customerHash = hashOf(customerId);
  const before = await transaction('customer_erasures').where({ customerHash }).first('customerHash');
  await transaction('customer_erasures')
    .insert({ customerHash })
    .onConflict('customerHash')
    .merge({ erasedAt: transaction.fn.now(), returnedAt: null });
  return before !== undefined;
}

/** Notes that a customer has a licence again. */
export async function markReturned(transaction: Knex.Transaction, customerId: string): Promise<void> {
  await transaction('customer_erasures')
    .where({ customerHash: hashOf(customerId), returnedAt: null })
    .update({ returnedAt: transaction.fn.now() });
}

/**
 * Finds which of these customers are erased.
 * @returns whether something of a customer is not to be stored: what happened before the customer returned. Null as the
 * time is now
 */
export async function findErased(
  transaction: Knex.Transaction,
  customerIds: readonly string[],
): Promise<(customerId: string, time: string | null) => boolean> {
  const hashes = new Map([...new Set(customerIds)].map((customerId) => [hashOf(customerId), customerId]));
  const rows: { customerHash: string; returnedAt: string | null }[] = await transaction('customer_erasures')
    .whereIn('customerHash', [...hashes.keys()])
    .select('customerHash', 'returnedAt');
  const returns = new Map(rows.map(({ customerHash, returnedAt }) => [hashes.get(customerHash), returnedAt]));
  return (customerId, time) => {
    const returnedAt = returns.get(customerId);
    if (returnedAt === undefined) return false;
    return returnedAt === null || (time !== null && time < returnedAt);
  };
}

/** Removes old marks. Returns how many. */
export function removeOldMarks(db: Knex): Promise<number> {
  return db('customer_erasures').whereRaw('erased_at < now() - make_interval(days => ?)', [markDays]).delete();
}
