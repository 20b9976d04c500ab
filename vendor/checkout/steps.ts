/**
 * The steps of placing an order that every shop has: who may order, what has to be told and paid, and stock.
 */
import { cartProblems, countryNotServed, stockSaleOf } from '@carton/cart';
import type { Store } from '@carton/core';
import { insufficientStock, type StockLine, takeStock } from '@carton/inventory';
import { planTenders } from '@carton/payment';
import { missingFields, pointerOf } from './customer.ts';
import { type Placing, type PlacingStep, placingOrder, type Requirement, tenderSaleOf } from './placing.ts';
import { cartEmpty, cartNotReady, customerDetailsMissing, guestCheckoutOff, paymentRequired } from './problems.ts';
import { checkoutSettings } from './settings.ts';

const shopper: PlacingStep = {
  name: 'shopper',
  order: placingOrder.shopper,
  requirements: { guest_checkout_off: guestCheckoutOff },
  require: (_, { store, shopper }) => keptOut(store, shopper),
};

/** What a guest has to do first in a shop that takes orders of members only. */
export function keptOut({ guestCheckout }: Store, shopper: Placing['shopper']): Requirement[] {
  const isKeptOut = !guestCheckout && shopper?.memberId === null;
  return isKeptOut ? [{ code: 'guest_checkout_off', detail: 'Sign in to order.' }] : [];
}

const cart: PlacingStep = {
  name: 'cart',
  order: placingOrder.cart,
  requirements: {
    cart_empty: cartEmpty,
    item_unavailable: cartNotReady,
    item_unpriced: cartNotReady,
    insufficient_stock: cartNotReady,
    country_not_served: countryNotServed,
  },
  require: (_, { sale }) => cartProblems(sale),
};

/** What a preview `asks` for, since it can still be told with the order. */
const customer: PlacingStep = {
  name: 'customer',
  order: placingOrder.customer,
  requirements: { customer_details_missing: customerDetailsMissing },
  require(_, { isPreview, shopper, store, customer }) {
    if (isPreview || shopper === null) return [];
    const missing = missingFields(store.checkoutRequires, customer);
    if (missing.length === 0) return [];
    const errors = missing.map((field) => ({ in: 'body' as const, pointer: pointerOf(field), detail: asked }));
    return [{ code: 'customer_details_missing', detail: `Missing: ${missing.join(', ')}.`, errors }];
  },
};
const asked = 'is asked for by this shop';

/** Shown by a preview as `paymentRequired`. */
const payment: PlacingStep = {
  name: 'payment',
  order: placingOrder.customer,
  requirements: { payment_required: paymentRequired },
  async require(db, placing) {
    const { isPreview, shopper, paymentMethod, sale } = placing;
    const isAsked = !isPreview && shopper !== null && paymentMethod === null;
    if (!isAsked || !isPaymentRequired(placing, sale.totals.total)) return [];
    const { left } = await planTenders(db, tenderSaleOf(placing));
    if (!isPaymentRequired(placing, left)) return [];
    const errors = [{ in: 'body' as const, pointer: '/paymentMethod', detail: asked }];
    return [{ code: 'payment_required', detail: 'Choose how to pay.', errors }];
  },
};

/** Whether a shopper has to name a payment method. @param left what tenders leave to be paid, in minor units */
export function isPaymentRequired({ store }: Pick<Placing, 'store'>, left: number): boolean {
  return checkoutSettings.of(store).paymentRequired && left > 0;
}

const stock: PlacingStep = {
  name: 'stock',
  order: placingOrder.stock,
  problems: [insufficientStock],
  claim: (tx, { sale, orderId, reservation }) =>
    takeStock(
      tx,
      sale.lines.flatMap(stockedOf),
      { type: 'order', id: orderId },
      { reserved: reservation ?? undefined, sale: stockSaleOf(sale.sale) },
    ),
};

/** What stock knows of a line. */
function stockedOf({ variantId, quantity }: Placing['sale']['lines'][number]): StockLine[] {
  return variantId === null ? [] : [{ variantId, quantity }];
}

export const builtInSteps: readonly PlacingStep[] = [shopper, cart, customer, payment, stock];
