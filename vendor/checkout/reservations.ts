/**
 * Stock promised to a cart: from the beginning of its payment, or of its checkout, until the order takes it or the
 * promise ends.
 */
import { findCart, findPricedCart, saleOfCart, stockSaleOf } from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { insufficientStock, releaseStock, reserveStock } from '@carton/inventory';
import type { PaymentAbandonHook, PaymentStartHook } from '@carton/payment';
import { defineProblem, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import { cartEmpty } from './problems.ts';
import { checkoutSettings } from './settings.ts';

export const reservationOff = defineProblem({
  code: 'reservation_off',
  status: 409,
  title: 'This shop does not hold stock before a payment begins',
});

/** Under which stock is reserved for a cart. */
export const reservationOf = (cartId: string) => ({ type: 'cart', id: cartId });

function endOf(store: Store): Date {
  return new Date(Date.now() + checkoutSettings.of(store).reservationMinutes * 60_000);
}

/** Reserves what is in a cart as it is now; nothing of a cart that is ordered. @throws insufficient_stock (409) */
async function reserveCart(tx: TenantDatabase, cartId: string, until: Date): Promise<void> {
  const cart = await findCart(tx, cartId);
  if (cart?.status !== 'active') return;
  await reserveStock(tx, cart.lines, reservationOf(cartId), { until, sale: stockSaleOf(saleOfCart(cart)) });
}

/** With a payment the stock of its cart is held, for as long as the shop says and the payment is waited for. */
export const reserveForPayment: PaymentStartHook = {
  problems: [insufficientStock],
  async begin(tx, { cartId, endsAt }) {
    const store = await findStore(tx);
    if (checkoutSettings.of(store).reservationMinutes === 0) return;
    const end = endOf(store);
    await reserveCart(tx, cartId, end < endsAt ? end : endsAt);
  },
};

/** A payment that is given up holds nothing. What the shopper has had held before goes on to its own end. */
export const releaseWithPayment: PaymentAbandonHook = async (tx, { cartId }) => {
  if (checkoutSettings.of(await findStore(tx)).reserveAtCheckout) return;
  await releaseStock(tx, reservationOf(cartId));
};

/**
 * Has the stock of the shopper's cart held from now on; asked again, for what is in it then and until later.
 * @throws reservation_off, cart_empty, insufficient_stock (409)
 */
export async function reserveCheckout(db: TenantDatabase, session: ShopperSession): Promise<{ endsAt: string }> {
  return db.transaction(async (tx) => {
    const store = await findStore(tx);
    const { reserveAtCheckout, reservationMinutes } = checkoutSettings.of(store);
    if (!reserveAtCheckout || reservationMinutes === 0) throw reservationOff();
    const priced = await findPricedCart(tx, session);
    if (!priced || priced.lines.length === 0) throw cartEmpty('Put something into the cart first.');
    const until = endOf(store);
    await reserveCart(tx, priced.cart.id, until);
    return { endsAt: until.toISOString() };
  });
}
