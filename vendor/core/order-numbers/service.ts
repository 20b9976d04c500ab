/**
 * The numbers of a store's orders: each order draws the next one of a sequence, in the format of the store.
 */
import type { TenantDatabase } from '@carton/runtime';
import type { Store } from '../schemas.ts';
import { drawNumber, lockSequence } from './store.ts';

/** Order numbers start at 1001, so that they do not reveal how few orders a new store has had. */
const offset = 1000;

/** Draws the next order number in the store's format. Call it late in a transaction: it locks the sequence. */
export async function drawOrderNumber(
  db: TenantDatabase,
  { orderNumberFormat }: Pick<Store, 'orderNumberFormat'>,
): Promise<string> {
  const number = await drawNumber(db, 'order', offset);
  return orderNumberFormat.replace('{number}', () => String(number));
}

/** Waits for the orders of the tenant that have drawn their number, and holds up further ones until the transaction ends. */
export async function lockOrderNumbers(db: TenantDatabase): Promise<void> {
  await lockSequence(db, 'order', offset);
}

/** Skips the next order number, which an order already has because the store's format was changed. */
export async function skipOrderNumber(db: TenantDatabase): Promise<void> {
  await drawNumber(db, 'order', offset);
}
