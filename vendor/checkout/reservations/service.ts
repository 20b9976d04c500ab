/**
 * Stock reservations of carts: from the start of a payment, or of the checkout, until the order consumes the reservation
 * or it expires.
 */
import {
  type CartCleanUp,
  type CartMerge,
  findCart,
  findPricedCart,
  type StoredCart,
  saleOfCart,
  stockSaleOf,
} from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { findReserved, insufficientStock, releaseStock, reserveStock } from '@carton/inventory';
import type { Payer, PaymentAbandonHook, PaymentStartHook } from '@carton/payment';
import { defineProblem, type ShopperSession, type TenantDatabase } from '@carton/runtime';
import {
  type Guest,
  guestLimitOf,
  holdReserved,
  type OrderClient,
  reservationLimitOf,
  reservedAboveLimit,
  wouldExceed,
} from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { checkoutSettings } from '../settings.ts';

export const reservationOff = defineProblem({
  code: 'reservation_off',
  status: 409,
  title: 'This store does not reserve stock before a payment starts',
});

/** The reference under which stock is reserved for a cart. */
export const reservationOf = (cartId: string) => ({ type: 'cart', id: cartId });

/** An old cart stays while stock is reserved for it, and is deleted with its rows here; nothing is reserved for an empty one. */
export const checkoutCleanUp: CartCleanUp = {
  keep: (tx, ids) => findReserved(tx, 'cart', ids),
  async remove(tx, ids) {
    for (const table of ['checkout_attempts', 'guest_reservations'])
      await tx.query(`delete from ${table} where tenant_id = $1 and cart_id = any($2::uuid[])`, [ids]);
  },
  emptied: (tx, id) => releaseStock(tx, reservationOf(id)),
};

/** The items of a cart are in another now, such as a member's after a log-in, which reserves its own when it is paid. */
export const releaseMerged: CartMerge = (tx, { fromId }) => releaseStock(tx, reservationOf(fromId));

function expiryOf(store: Store): Date {
  return new Date(Date.now() + checkoutSettings.of(store).reservationMinutes * 60_000);
}

/** Reserves stock for the lines of a cart. @throws insufficient_stock (409) */
async function reserveCart(tx: TenantDatabase, cart: StoredCart, until: Date): Promise<void> {
  await reserveStock(tx, cart.lines, reservationOf(cart.id), { until, sale: stockSaleOf(saleOfCart(cart)) });
}

/** The guest whose reserved units are limited, with the limit; null if no limit applies. */
function limitOf(
  db: TenantDatabase,
  store: Store,
  { memberId, email }: Pick<StoredCart, 'memberId' | 'email'>,
  payer: Payer,
): { limit: number; guest: Guest } | null {
  const limit = memberId === null ? reservationLimitOf(store, db) : null;
  return limit === null ? null : { limit, guest: { ...payer, email: payer.email ?? email } };
}

/**
 * Reserves the cart's stock when its payment starts, for the store's duration but not beyond the payment's expiry. What a
 * guest may not hold without paying, with unpaid orders and other carts, is not reserved: the order takes it once the
 * payment is authorized. Nor are goods that a guest pays by hand where the unpaid orders of guests are limited.
 */
export const reserveForPayment: PaymentStartHook = {
  problems: [insufficientStock],
  async start(tx, { cartId, endsAt, byHand, payer }) {
    const store = await findStore(tx);
    if (checkoutSettings.of(store).reservationMinutes === 0) return;
    const cart = await findCart(tx, cartId);
    if (cart?.status !== 'active') return;
    const limited = limitOf(tx, store, cart, payer);
    const wanted = { cartId, lines: cart.lines };
    // A guest by hand has only to order, which counts the units: many sessions would hold as much without any payment.
    const isOrderLimited = guestLimitOf(store, tx) !== null;
    if (limited && byHand && isOrderLimited) return;
    if (limited && (await wouldExceed(tx, limited.limit, limited.guest, wanted))) return;
    const end = expiryOf(store);
    await reserveCart(tx, cart, end < endsAt ? end : endsAt);
    const isHeld = !limited || (await holdReserved(tx, limited.limit, limited.guest, wanted));
    // Another request of the guest was faster.
    if (!isHeld) await releaseStock(tx, reservationOf(cartId));
  },
};

/** Releases the cart's stock if its payment is abandoned. A reservation by the shopper remains until it expires. */
export const releaseOnAbandon: PaymentAbandonHook = async (tx, { cartId }) => {
  if (checkoutSettings.of(await findStore(tx)).reserveAtCheckout) return;
  await releaseStock(tx, reservationOf(cartId));
};

/**
 * Reserves the stock of the shopper's cart. Called again, it replaces and extends the reservation.
 * @throws reservation_off, cart_empty, unpaid_units_limit, insufficient_stock (409)
 */
export async function reserveCheckout(
  db: TenantDatabase,
  session: ShopperSession,
  client: OrderClient,
): Promise<{ endsAt: string }> {
  return db.transaction(async (tx) => {
    const store = await findStore(tx);
    const { reserveAtCheckout, reservationMinutes } = checkoutSettings.of(store);
    if (!reserveAtCheckout || reservationMinutes === 0) throw reservationOff();
    const priced = await findPricedCart(tx, session);
    if (!priced || priced.lines.length === 0) throw await nothingToOrder(tx, session);
    const { cart } = priced;
    const limited = limitOf(tx, store, cart, { sessionHash: session.hash, email: null, client });
    const wanted = { cartId: cart.id, lines: cart.lines };
    const until = expiryOf(store);
    await reserveCart(tx, cart, until);
    const isHeld = !limited || (await holdReserved(tx, limited.limit, limited.guest, wanted));
    if (!isHeld) throw reservedAboveLimit(limited.limit);
    return { endsAt: until.toISOString() };
  });
}
