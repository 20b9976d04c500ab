/**
 * Counts the stock of products, by which shoppers sort them.
 *
 * No sale writes it, since sales of different variants of a product would wait for each other. A job counts the products
 * again that have changed since its last run, or whose levels have, which it tells by their `updated_at`: up to the time
 * until which all transactions have ended, so that none is missed that commits late. Only published products are counted:
 * shoppers see no others, and a list by stock would read past all drafts, which have none.
 */
import type { TenantDatabase } from '@carton/runtime';
import {
  countProducts,
  findChangedProducts,
  forgetProducts,
  hasChanges,
  lockCounts,
  productsOfVariants,
  setRefreshedUntil,
} from './store.ts';

/** Counts the products again whose stock or status has changed since the last time. Safe to run concurrently. */
export async function refreshProductStock(db: TenantDatabase): Promise<void> {
  // In most stores nothing has changed, and then nothing is written.
  if (!(await hasChanges(db))) return;
  const until = await db.committedUntil();
  await db.transaction(async (tx) => {
    const since = await lockCounts(tx);
    if (Date.parse(since) >= Date.parse(until)) return;
    const changed = await findChangedProducts(tx, since, until);
    if (changed.length > 0) await countProducts(tx, changed);
    await setRefreshedUntil(tx, until);
  });
}

/** Lists the products of deleted variants no longer by their stock, and counts the other variants of these products. */
export async function forgetVariants(tx: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  await lockCounts(tx);
  const products = await productsOfVariants(tx, variantIds);
  await forgetProducts(tx, variantIds);
  await countProducts(tx, products);
}
