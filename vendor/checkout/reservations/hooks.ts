/**
 * When other packages cause the stock of a cart to be reserved or released: payments that start and end, carts that are
 * merged, emptied or deleted.
 */
import { type CartCleanUp, type CartMerge, findCart } from '@carton/cart';
import { findStore } from '@carton/core';
import { findReserved, insufficientStock, releaseStock } from '@carton/inventory';
import type { PaymentAbandonHook, PaymentStartHook } from '@carton/payment';
import { guestLimitOf, holdReserved, wouldExceed } from '../guests/service.ts';
import { deleteReservations } from '../guests/store.ts';
import { checkoutSettings } from '../settings.ts';
import { deleteAttempts } from '../store.ts';
import { expiryOf, limitOf, reservationOf, reserveCart } from './service.ts';

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

/** The items of a cart are in another now, such as a member's after a log-in, which reserves its own when it is paid. */
export const releaseMerged: CartMerge = (tx, { fromId }) => releaseStock(tx, reservationOf(fromId));

/** An old cart stays while stock is reserved for it, and is deleted with its rows here; nothing is reserved for an empty one. */
export const checkoutCleanUp: CartCleanUp = {
  keep: (tx, ids) => findReserved(tx, 'cart', ids),
  async remove(tx, ids) {
    await deleteAttempts(tx, ids);
    await deleteReservations(tx, ids);
  },
  emptied: (tx, id) => releaseStock(tx, reservationOf(id)),
};
