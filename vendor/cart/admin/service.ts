/**
 * Carts as staff see them.
 */
import { notFound, type TenantDatabase } from '@carton/runtime';
import { type PricedCart, priceCart } from '../pricing/cart.ts';
import type { AdminCart } from '../schemas.ts';
import { findCart, type StoredCart } from '../store.ts';
import { presentCart } from '../view.ts';

/** @throws not_found (404) */
export async function readAdminCart(db: TenantDatabase, id: string): Promise<AdminCart> {
  return db.pipelined(async (one) => {
    const cart = await findCart(one, id);
    if (!cart) throw notFound(`There is no cart with the id ${id}.`);
    return presentAdminCart(await priceCart(one, cart));
  });
}

/** The cart as staff see it. */
function presentAdminCart(priced: PricedCart<StoredCart>): AdminCart {
  const { id, status, memberId, orderId, createdAt, updatedAt } = priced.cart;
  return { ...presentCart(priced), id, status, memberId, orderId, createdAt, updatedAt };
}
