/**
 * A priced cart as it is answered.
 */
import { type MoneyValue, money } from '@carton/runtime';
import type { PricedCart, PricedLine } from './pricing.ts';
import type { AdminCart, Cart } from './schemas.ts';
import type { StoredCart } from './store.ts';
import { type Adjustment, noTotals, type Totals } from './totals.ts';

/** The cart as its shopper sees it. */
export function presentCart({ cart, lines, adjustments, totals }: PricedCart<StoredCart>): Cart {
  const { id, currency, regionId, email, note, shippingAddress, billingAddress, updatedAt } = cart;
  return {
    id,
    currency,
    regionId,
    email,
    note,
    items: lines.map((line) => presentLine(line, currency)),
    shippingAddress,
    billingAddress,
    adjustments: adjustments.map((adjustment) => presentAdjustment(adjustment, currency)),
    totals: presentTotals(totals, currency),
    updatedAt,
  };
}

/** The cart as staff see it. */
export function presentAdminCart(priced: PricedCart<StoredCart>): AdminCart {
  const { id, status, memberId, orderId, createdAt, updatedAt } = priced.cart;
  return { ...presentCart(priced), id, status, memberId, orderId, createdAt, updatedAt };
}

/** The cart of a shopper who has put nothing into one. */
export function presentNoCart(currency: string): Cart {
  return {
    id: null,
    currency,
    regionId: null,
    email: null,
    note: null,
    items: [],
    shippingAddress: null,
    billingAddress: null,
    adjustments: [],
    totals: presentTotals(noTotals, currency),
    updatedAt: null,
  };
}

function presentLine(line: PricedLine, currency: string): Cart['items'][number] {
  const { id, variantId, variant, quantity, unitPrice, total, issues } = line;
  return {
    id,
    variantId,
    productId: variant.productId,
    productHandle: variant.productHandle,
    title: variant.productTitle,
    variantTitle: variant.title,
    sku: variant.sku,
    quantity,
    unitPrice: unitPrice === null ? null : money(unitPrice, currency),
    total: total === null ? null : money(total, currency),
    issues,
  };
}

function presentAdjustment(
  { code, label, kind, amount, lineId, included }: Adjustment,
  currency: string,
): Cart['adjustments'][number] {
  return { code, label, kind, amount: money(amount, currency), itemId: lineId ?? null, included: included ?? false };
}

/** Totals as money. */
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
