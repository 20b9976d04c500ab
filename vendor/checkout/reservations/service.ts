/**
 * Stock reservations of carts: from the start of a payment, or of the checkout, until the order consumes the reservation
 * or it expires.
 */
import { findPricedCart, type StoredCart, saleOfCart, stockSaleOf } from '@carton/cart';
import { findStore, type Store } from '@carton/core';
import { reserveStock } from '@carton/inventory';
import type { Payer } from '@carton/payment';
import type { ShopperSession, TenantDatabase } from '@carton/runtime';
import {
  type Guest,
  holdReserved,
  type OrderClient,
  reservationLimitOf,
  reservedAboveLimit,
} from '../guests/service.ts';
import { nothingToOrder } from '../nothing-to-order.ts';
import { reservationOff } from '../problems.ts';
import { checkoutSettings } from '../settings.ts';

/** The reference under which stock is reserved for a cart. */
export const reservationOf = (cartId: string) => ({ type: 'cart', id: cartId });

/** When a reservation that begins now ends. */
export function expiryOf(store: Store): Date {
  return new Date(Date.now() + checkoutSettings.of(store).reservationMinutes * 60_000);
}

/** Reserves stock for the lines of a cart. @throws insufficient_stock (409) */
export async function reserveCart(tx: TenantDatabase, cart: StoredCart, until: Date): Promise<void> {
  await reserveStock(tx, cart.lines, reservationOf(cart.id), { until, sale: stockSaleOf(saleOfCart(cart)) });
}

/** The guest whose reserved units are limited, with the limit; null if no limit applies. */
export function limitOf(
  db: TenantDatabase,
  store: Store,
  { memberId, email }: Pick<StoredCart, 'memberId' | 'email'>,
  payer: Payer,
): { limit: number; guest: Guest } | null {
  const limit = memberId === null ? reservationLimitOf(store, db) : null;
  return limit === null ? null : { limit, guest: { ...payer, email: payer.email ?? email } };
}

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
