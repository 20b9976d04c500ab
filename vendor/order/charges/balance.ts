/**
 * What is charged for an order and what of it is owed, the only place that says so: payments, mails, pages and invoices
 * read it here. The README of payment has a table of all cases.
 */
import type { OrderState } from '../store.ts';

/** The amounts of an order from which its balance follows. */
export type OrderAmounts = Pick<
  OrderState,
  'status' | 'totalAmount' | 'paidAmount' | 'refundedAmount' | 'excessRefundedAmount' | 'disputedAmount'
>;

/** What was refunded of an order's charge, in minor units: of units, or by amount. */
export function refundedChargeOf({
  refundedAmount,
  excessRefundedAmount,
}: Pick<OrderAmounts, 'refundedAmount' | 'excessRefundedAmount'>): number {
  return refundedAmount - excessRefundedAmount;
}

/** What is charged for an order, in minor units: its total less what was refunded of it; nothing if it is canceled. */
export function chargedOf(order: OrderAmounts): number {
  return order.status === 'canceled' ? 0 : order.totalAmount - refundedChargeOf(order);
}

/**
 * The amount owed on an order, in minor units: what is charged, less what was received and kept. A negative amount is owed
 * to the shopper. So a refund leaves it as it is, and the return of an excess raises it to zero. What a dispute takes of an
 * excess is returned by it; what it takes of the rest is not due again.
 */
export function balanceOf(order: OrderAmounts): number {
  const { paidAmount, refundedAmount, disputedAmount } = order;
  const missing = chargedOf(order) - (paidAmount - refundedAmount - disputedAmount);
  return missing > 0 ? Math.max(0, missing - disputedAmount) : missing;
}

/** Whether nothing is left of a sale: nothing is kept, or all of the total is refunded, and what is kept is an excess. */
export function isRefundedInFull(order: OrderAmounts): boolean {
  const refunded = refundedChargeOf(order);
  return refunded > 0 && (order.paidAmount <= order.refundedAmount || refunded >= order.totalAmount);
}
