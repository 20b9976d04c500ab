/**
 * The representations of a priced cart in responses.
 */
import { type HasExtensions, type MoneyValue, money } from '@carton/runtime';
import type { PricedCart, PricedLine } from './pricing.ts';
import type { AdminCart, Cart } from './schemas.ts';
import type { StoredCart } from './store.ts';
import { type Adjustment, noTotals, shownWhenEmpty, type Totals } from './totals.ts';

/** The cart as its shopper sees it. */
export function presentCart({ cart, lines, issues, adjustments, totals, shown }: PricedCart<StoredCart>): Cart {
  const { id, currency, regionId, locale, email, note, shippingAddress, billingAddress, updatedAt } = cart;
  return {
    ...shown,
    id,
    currency,
    regionId,
    locale,
    email,
    note,
    items: lines.map((line) => presentLine(line, currency)),
    shippingAddress,
    billingAddress,
    adjustments: adjustments.map((adjustment) => presentAdjustment(adjustment, currency)),
    totals: presentTotals(totals, currency),
    issues,
    updatedAt,
  };
}

/** The cart as staff see it. */
export function presentAdminCart(priced: PricedCart<StoredCart>): AdminCart {
  const { id, status, memberId, orderId, createdAt, updatedAt } = priced.cart;
  return { ...presentCart(priced), id, status, memberId, orderId, createdAt, updatedAt };
}

/** An empty cart, for a shopper without a stored one. */
export function presentEmptyCart(box: HasExtensions, currency: string): Cart {
  return {
    ...shownWhenEmpty(box),
    id: null,
    currency,
    regionId: null,
    locale: null,
    email: null,
    note: null,
    items: [],
    shippingAddress: null,
    billingAddress: null,
    adjustments: [],
    totals: presentTotals(noTotals, currency),
    issues: [],
    updatedAt: null,
  };
}

function presentLine(line: PricedLine, currency: string): Cart['items'][number] {
  const { id, variantId, variant, quantity, properties, unitPrice, compareAt, lowestPrior, total, issues } = line;
  const amount = (minor: number | null) => (minor === null ? null : money(minor, currency));
  return {
    id,
    variantId,
    productId: variant.productId,
    productHandle: variant.productHandle,
    title: variant.productTitle,
    variantTitle: variant.title,
    sku: variant.sku,
    quantity,
    properties,
    unitPrice: amount(unitPrice),
    compareAtPrice: amount(compareAt),
    lowestPriorPrice: amount(lowestPrior),
    total: amount(total),
    issues,
  };
}

function presentAdjustment(
  { code, label, kind, amount, lineId, shippingCode, rate, included }: Adjustment,
  currency: string,
): Cart['adjustments'][number] {
  const target = { itemId: lineId ?? null, shippingCode: shippingCode ?? null };
  return {
    code,
    label,
    kind,
    amount: money(amount, currency),
    ...target,
    rate: rate ?? null,
    included: included ?? false,
  };
}

/** Totals with their currency. */
export function presentTotals(totals: Totals, currency: string): Record<keyof Totals, MoneyValue> {
  const { subtotal, discount, shipping, tax, credit, total } = totals;
  return {
    subtotal: money(subtotal, currency),
    discount: money(discount, currency),
    shipping: money(shipping, currency),
    tax: money(tax, currency),
    credit: money(credit, currency),
    total: money(total, currency),
  };
}
