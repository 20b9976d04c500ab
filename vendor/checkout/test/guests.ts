/**
 * Guests who order in stores where their unpaid units are limited.
 */
import { shopperWith } from '@carton/cart/testing';
import { paymentAdapters } from '@carton/payment';
import { TestProvider } from '@carton/payment/testing';
import { type Caller, createTestBox, extendBox, type TestTenant } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { createArticle } from './helpers.ts';

export type Article = Awaited<ReturnType<typeof createArticle>>;

let guests = 0;
/** A guest of her own session, e-mail address and, unless one is given, client address. */
export const guestOf = (
  email = `guest-${++guests}@example.com`,
  address = `203.0.${++guests >> 8}.${guests & 255}`,
) => ({ email, headers: { 'x-forwarded-for': address } });
export type Guest = ReturnType<typeof guestOf>;

export const put = (shopper: Caller, { variantId }: Article, quantity: number) =>
  shopper.post('/cart/items', { variantId, quantity });

export const orderAs = (shopper: Caller, { email, headers }: Guest, more: object = {}) =>
  shopper.post('/checkout', { customer: { email }, ...more }, { headers });

export async function order(store: TestTenant, mug: Article, quantity: number, guest = guestOf(), more: object = {}) {
  return orderAs(await shopperWith(store, [mug, quantity]), guest, more);
}

export const detailOf = (limit: number) =>
  `A guest may have ${limit} units in unpaid orders. Pay the open orders first, complete the payment before ordering, or order less.`;

export const rowsOf = async (store: TestTenant) =>
  (await store.db.query('select units from guest_units where tenant_id = $1')).length;

/** A box whose stores are paid by card, or by a transfer that staff record. */
export async function openGuestBox(t: Test) {
  const box = await createTestBox(t, { tier: 'basic', trustProxy: 'loopback', idleJobs: true });
  const card = new TestProvider();
  const transfer = Object.assign(new TestProvider('transfer', ['bank_transfer']), { byHand: true });
  const storeWith = async (t: Test, limit: number | null = 10, stock = 983) => {
    extendBox(t, box, [paymentAdapters.with(card), paymentAdapters.with(transfer)]);
    card.confirmed = 'authorized';
    transfer.confirmed = 'pending';
    const store = await box.openTenant();
    await store.staff.patch('/admin/checkout-settings', { guestUnpaidUnits: limit });
    return { store, mug: await createArticle(store, 'mug', 1250, stock) };
  };
  return { box, card, transfer, storeWith };
}
