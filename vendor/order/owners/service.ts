/**
 * The orders of members.
 */
import type { Page, TenantDatabase } from '@carton/runtime';
import { type Order, orderOf } from '../present.ts';
import { readOrder, unknownOrder } from '../service.ts';
import { cancelOrder } from '../states/canceling.ts';
import { orders } from '../store.ts';

/** A page of the orders of a member, newest first. */
export async function listOwnOrders(
  db: TenantDatabase,
  memberId: string,
  page: { limit: number; cursor?: string },
): Promise<Page<Order>> {
  const { items, nextCursor } = await orders.page(db, { ...page }, { memberId });
  return { items: items.map(orderOf), nextCursor };
}

/** @throws not_found (404), also for an order of another member or of a guest */
export async function readOwnOrder(db: TenantDatabase, memberId: string, id: string): Promise<Order> {
  const order = await readOrder(db, id);
  if (order.memberId !== memberId) throw unknownOrder(id);
  return order;
}

/** Cancels an order of a member, as `cancelOrder` does. @throws as `cancelOrder` and `readOwnOrder` */
export function cancelOwnOrder(db: TenantDatabase, memberId: string, id: string, reason?: string): Promise<Order> {
  return db.transaction(async (tx) => {
    await readOwnOrder(tx, memberId, id);
    return cancelOrder(tx, id, reason, {}, { type: 'shopper', id: memberId });
  });
}
