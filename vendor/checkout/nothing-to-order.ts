/**
 * Why a shopper without a cart cannot check out: it was never filled, or it has become an order. A request that starts
 * just after another one has placed the order finds no cart, like one that comes days later.
 */
import { findLastOrderOfSession } from '@carton/cart';
import { findOrder, listOwnOrders } from '@carton/order';
import type { Problem, ShopperSession, TenantDatabase } from '@carton/runtime';
import { cartEmpty } from './problems.ts';

/**
 * The problem of a shopper without an active cart. Only the session or member whose cart it was learns the order.
 * @returns cart_empty (409), with the order if it has become one
 */
export async function nothingToOrder(
  db: TenantDatabase,
  session: Pick<ShopperSession, 'hash' | 'memberId'>,
): Promise<Problem> {
  const order = await findLastOrder(db, session);
  if (!order) return cartEmpty('Add an item to the cart first.');
  const detail = `The cart has become the order ${order.number}. Add an item to the cart to order again.`;
  return cartEmpty(detail, { members: { orderId: order.id } });
}

async function findLastOrder(db: TenantDatabase, { memberId, hash }: Pick<ShopperSession, 'hash' | 'memberId'>) {
  if (memberId !== null) {
    const [last] = (await listOwnOrders(db, memberId, { limit: 1 })).items;
    return last && last.cartId !== null ? last : null;
  }
  const orderId = hash === null ? null : await findLastOrderOfSession(db, hash);
  return orderId === null ? null : findOrder(db, orderId);
}
