/**
 * What the lines and shipping charges of an order cost in the end, and how much of it is refunded with their units. All
 * of it is computed from the rows that the order stored when it was placed.
 */
import { allocate, divideRounded } from '@carton/runtime';
import type { OrderRow } from './store.ts';

/** Minor units of the order's currency. */
export interface AmountWithTax {
  /** With all taxes. */
  readonly amount: number;
  /** The part of `amount` that is tax. */
  readonly tax: number;
}

/** A line or a shipping charge with its final amount: after discounts, with taxes. */
export interface Charge extends AmountWithTax {
  /** Null for a shipping charge. */
  readonly lineItemId: string | null;
  /** Code of the shipping charge; null for a line. */
  readonly shippingCode: string | null;
  /** Units of the line; 1 for a shipping charge. */
  readonly quantity: number;
}

/** An amount on a line, on a shipping charge or, with neither, on the entire order. */
interface Part {
  itemId: string | null;
  shippingCode: string | null;
  amount: number;
}

const sumOf = (parts: readonly { amount: number }[]) => parts.reduce((sum, { amount }) => sum + amount, 0);

/**
 * The lines of an order, then its shipping charges, with their final amounts, which add up to the order's total. What
 * applies to the entire order is divided among them in proportion to their amounts.
 */
export function chargesOf({
  lines,
  adjustments,
  taxLines,
}: Pick<OrderRow, 'lines' | 'adjustments' | 'taxLines'>): Charge[] {
  const { shipping = [], others = [] } = Object.groupBy(adjustments, ({ kind }) =>
    kind === 'shipping' ? 'shipping' : 'others',
  );
  const listed: Charge[] = [
    ...lines.map(({ id, quantity, totalAmount }) => ({
      lineItemId: id,
      shippingCode: null,
      quantity,
      amount: totalAmount,
      tax: 0,
    })),
    ...[...Map.groupBy(shipping, ({ code }) => code)].map(([code, parts]) => ({
      lineItemId: null,
      shippingCode: code,
      quantity: 1,
      amount: sumOf(parts),
      tax: 0,
    })),
  ];
  const discounts = divideParts(others, listed);
  const discounted = listed.map((charge, at) => ({ ...charge, amount: charge.amount + (discounts[at] as number) }));
  const taxes = divideParts(taxLines, discounted);
  const added = divideParts(
    taxLines.filter(({ included }) => !included),
    discounted,
  );
  return discounted.map((charge, at) => ({
    ...charge,
    amount: charge.amount + (added[at] as number),
    tax: taxes[at] as number,
  }));
}

/** The sum of the parts that each charge bears. */
function divideParts(parts: readonly Part[], charges: readonly Charge[]): number[] {
  const weights = charges.map(({ amount }) => amount);
  const sums = charges.map(() => 0);
  for (const { itemId, shippingCode, amount } of parts) {
    const target = charges.findIndex(
      (charge) => charge.lineItemId === itemId && charge.shippingCode === (itemId === null ? shippingCode : null),
    );
    const shares = target < 0 ? allocate(amount, weights) : charges.map((_, at) => (at === target ? amount : 0));
    for (const [at, share] of shares.entries()) sums[at] = (sums[at] as number) + share;
  }
  return sums;
}

/** What was refunded of a charge so far. */
export interface Refunded extends AmountWithTax {
  readonly quantity: number;
}

/**
 * What is refunded for further units of a charge: the rounded part of its amount that the first units cost together, less
 * what was refunded of them. So refunds of all units, in any division, add up to the amount, and so does their tax; also
 * after a failed refund between two others was reversed.
 * @param refunded before
 * @param quantity further units, at most those that are left
 */
export function refundOf(charge: Charge, refunded: Refunded, quantity: number): AmountWithTax {
  const cost = costOf(charge, refunded.quantity + quantity);
  const amount = Math.max(0, cost.amount - refunded.amount);
  return { amount, tax: Math.min(amount, Math.max(0, cost.tax - refunded.tax)) };
}

/** The cost of the first units. */
function costOf({ quantity, amount: total, tax }: Charge, units: number): AmountWithTax {
  const amount = divideRounded(BigInt(total) * BigInt(units), BigInt(quantity));
  return { amount, tax: total === 0 ? 0 : divideRounded(BigInt(tax) * BigInt(amount), BigInt(total)) };
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
