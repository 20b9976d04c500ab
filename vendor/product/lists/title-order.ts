/**
 * The order of products by title: that of the collation of the store's language. A language without one of its own has ICU's
 * root collation, and so has another one until its index is built. PostgreSQL may have no ICU: then it is that of code points.
 *
 * A list goes on in the order in which it has begun, which its cursors name.
 */
import { findStore } from '@carton/core';
import { onceForBox, sortOfCursor, type TenantDatabase, tailoredCollation } from '@carton/runtime';
import { type Order, sorts } from '../conditions-store.ts';
import { type Orders, readOrders } from './title-order-store.ts';

/** Milliseconds for which a box remembers what indexes there are. */
const rememberedFor = 1_000;
const known = onceForBox(() => ({ orders: null as Promise<Orders> | null, readAt: 0 }));

function ordersOf(db: TenantDatabase): Promise<Orders> {
  const kept = known(db);
  if (kept.orders === null || performance.now() > kept.readAt + rememberedFor) {
    kept.readAt = performance.now();
    kept.orders = readOrders(db).catch((error: unknown) => {
      kept.orders = null;
      throw error;
    });
  }
  return kept.orders;
}

async function titleOrder(db: TenantDatabase, cursor: string | undefined): Promise<Order> {
  const { common, byCollation } = await ordersOf(db);
  const begun = cursor === undefined ? undefined : sortOfCursor(cursor);
  const orders = [common, ...byCollation.values()];
  const inBegun = orders.find(({ name }) => name === begun);
  if (inBegun) return inBegun;
  const collation = tailoredCollation((await findStore(db)).defaultLocale);
  return (collation && byCollation.get(collation)) || common;
}

/** The order of a list; undefined if products have no such order of their own. */
export async function orderOf(
  db: TenantDatabase,
  { sort, cursor }: { sort: string; cursor?: string | undefined },
): Promise<Order | undefined> {
  return sort === sorts.title.name ? titleOrder(db, cursor) : sorts[sort as keyof typeof sorts];
}
