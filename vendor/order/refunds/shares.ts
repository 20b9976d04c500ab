/**
 * What is left to refund of the lines and shipping charges of an order, and how much of that a refund of units or of an
 * amount takes.
 */
import { allocate, divideRounded } from '@carton/runtime';
import type { AmountWithTax, Charge } from '../charges/amounts.ts';
import type { OrderRow } from '../store.ts';

/** What was refunded of a charge so far. */
export interface Refunded extends AmountWithTax {
  readonly quantity: number;
}

/** What is left to refund of a charge: units, and minor units of its amount and tax. Never below zero. */
export function leftOf(charge: Charge, refunded: Refunded): Charge {
  return {
    ...charge,
    quantity: Math.max(0, charge.quantity - refunded.quantity),
    amount: Math.max(0, charge.amount - refunded.amount),
    tax: Math.max(0, charge.tax - refunded.tax),
  };
}

/**
 * What is refunded for further units of a charge: the rounded part of its amount that the first units cost together, less
 * what was refunded of them. If something else was refunded, by amount, further units cost the part of what is left that
 * they are of the units left. So all refunds, in any division and order, add up to the amount, and so does their tax; also
 * after a failed refund between two others was reversed.
 * @param refunded before
 * @param quantity further units, at most those that are left
 */
export function refundOf(charge: Charge, refunded: Refunded, quantity: number): AmountWithTax {
  const before = costOf(charge, refunded.quantity);
  if (before.amount === refunded.amount && before.tax === refunded.tax) {
    const cost = costOf(charge, refunded.quantity + quantity);
    return { amount: cost.amount - refunded.amount, tax: cost.tax - refunded.tax };
  }
  const left = leftOf(charge, refunded);
  if (left.quantity === 0) return { amount: 0, tax: 0 };
  return refundOfAmount(left, divideRounded(BigInt(left.amount) * BigInt(quantity), BigInt(left.quantity)));
}

/** The cost of the first units. */
function costOf(charge: Charge, units: number): AmountWithTax {
  return refundOfAmount(charge, divideRounded(BigInt(charge.amount) * BigInt(units), BigInt(charge.quantity)));
}

/**
 * A refund of an amount of a charge: its tax is in proportion to what is left.
 * @param amount at most what is left
 */
export function refundOfAmount(left: AmountWithTax, amount: number): AmountWithTax {
  if (left.amount === 0) return { amount: 0, tax: 0 };
  return { amount, tax: divideRounded(BigInt(left.tax) * BigInt(amount), BigInt(left.amount)) };
}

/**
 * A refund of an amount that names no charges: it is shared among all of them in proportion to what is left of each.
 * @param amount at most what is left of all
 */
export function shareRefund(lefts: readonly AmountWithTax[], amount: number): AmountWithTax[] {
  const shares = allocate(
    amount,
    lefts.map((left) => left.amount),
  );
  return lefts.map((left, at) => refundOfAmount(left, shares[at] as number));
}

/** What was refunded of a charge, by the ledger. */
export function refundedOf(
  refunds: OrderRow['refundItems'],
  { lineItemId, shippingCode }: Pick<Charge, 'lineItemId' | 'shippingCode'>,
): Refunded {
  const own = refunds.filter((each) => each.lineItemId === lineItemId && each.shippingCode === shippingCode);
  const sum = (name: keyof Refunded) => own.reduce((all, each) => all + each[name], 0);
  return { quantity: sum('quantity'), amount: sum('amount'), tax: sum('tax') };
}
