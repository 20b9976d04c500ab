/**
 * The job that deletes old carts of guests, with what other packages store for them.
 */
import { job, packageSettings, type TenantDatabase, Type } from '@carton/runtime';
import { cartCleanUps } from '../items/clean-ups.ts';
import { deleteAddresses, deleteCarts, deleteLines } from '../store.ts';
import { lockOldCarts, type Position } from './store.ts';

export const cartRetention = packageSettings({
  CART_RETENTION_DAYS: Type.Integer({
    minimum: 0,
    maximum: 3650,
    default: 90,
    description: 'Days after its last change for which the cart of a guest is stored; 0 for ever',
  }),
});

const beginning: Position = ['-infinity', '00000000-0000-0000-0000-000000000000'];

async function deleteBatch(tx: TenantDatabase, days: number, after: Position, size: number): Promise<Position | null> {
  const old = await lockOldCarts(tx, days, after, size);
  const last = old.at(-1);
  const cleanUps = cartCleanUps.of(tx);
  const kept = new Set<string>();
  const found = old.map(({ id }) => id);
  for (const { keep } of cleanUps) for (const id of (await keep?.(tx, found)) ?? []) kept.add(id);
  const ids = found.filter((id) => !kept.has(id));
  if (ids.length > 0) {
    for (const { remove } of cleanUps) await remove?.(tx, ids);
    await deleteLines(tx, ids);
    await deleteAddresses(tx, ids);
    await deleteCarts(tx, ids);
  }
  return last && old.length === size ? [last.updatedAt, last.id] : null;
}

/**
 * Deletes the carts of guests, of any status, that have not changed for the days of the setting. Orders keep the id of
 * the cart they came from.
 * @param batchSize carts in one transaction: few, so that none holds its row locks for long
 */
export async function removeOldCarts(db: TenantDatabase, batchSize = 200): Promise<void> {
  const days = cartRetention.of(db).CART_RETENTION_DAYS;
  if (days === 0) return;
  let after: Position | null = beginning;
  while (after) {
    const from: Position = after;
    after = await db.transaction((tx) => deleteBatch(tx, days, from, batchSize));
  }
}

/** Once a day, because it also passes the old carts of members. */
export const deleteOldCarts = job({ name: 'cart.delete-old', everySeconds: 86_400, run: (db) => removeOldCarts(db) });
