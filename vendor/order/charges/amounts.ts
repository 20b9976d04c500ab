/**
 * What the lines and shipping charges of an order cost in the end, computed from the rows that the order stored.
 */
import { allocate, allocateByFirst, type MoneyValue } from '@carton/runtime';
import type { OrderRow } from '../store.ts';

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

/** A charge with the parts that its amount consists of: `amount` is `total + discount + credit + rounding`, and taxes on top. */
export interface ChargeInParts extends Charge {
  /** Before discounts. */
  readonly total: number;
  /** Its discounts and its share of those of the entire order; zero or below. */
  readonly discount: number;
  /** Its share of credits; zero or below. */
  readonly credit: number;
  /** Its share of what the order's total was rounded by. */
  readonly rounding: number;
  /** The part that it bears of each tax line, in their order; null of a tax that does not apply to it. */
  readonly taxes: readonly (number | null)[];
}

/** The type of the source of charges that are fees of payment methods. */
export const feeSource = 'payment_method';

const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

/** The rows of an order from which its charges are computed. */
export interface ChargedRows extends Pick<OrderRow, 'adjustments' | 'taxLines' | 'roundingAmount'> {
  lines: readonly Pick<OrderRow['lines'][number], 'id' | 'quantity' | 'totalAmount'>[];
}

type WithMoney<Row> = Omit<Row, 'amount'> & { amount: MoneyValue };

/** The rows of an order as it is in responses. */
export function chargedRowsOf({
  items,
  adjustments,
  taxLines,
  totals,
}: {
  items: readonly { id: string; quantity: number; total: MoneyValue }[];
  adjustments: readonly WithMoney<ChargedRows['adjustments'][number]>[];
  taxLines: readonly WithMoney<ChargedRows['taxLines'][number]>[];
  totals: { rounding: MoneyValue };
}): ChargedRows {
  return {
    roundingAmount: totals.rounding.amount,
    lines: items.map(({ id, quantity, total }) => ({ id, quantity, totalAmount: total.amount })),
    adjustments: adjustments.map((each) => ({ ...each, amount: each.amount.amount })),
    taxLines: taxLines.map((each) => ({ ...each, amount: each.amount.amount })),
  };
}

/**
 * The lines of an order, then its shipping charges, with their final amounts, which add up to the order's total. What
 * applies to the entire order is divided among them in proportion to their amounts; the fee of a payment method bears none
 * of it, so that the others stay as they are when a fee is added or removed. No discount, credit or rounding takes more from
 * a charge than it costs: the rest goes to the charges that have something left.
 */
export function chargesOf({ lines, adjustments, taxLines, roundingAmount }: ChargedRows): ChargeInParts[] {
  const ofKind = (kind: OrderRow['adjustments'][number]['kind']) => adjustments.filter((each) => each.kind === kind);
  const listed: Target[] = [
    ...lines.map(({ id, quantity, totalAmount }) => ({
      lineItemId: id,
      shippingCode: null,
      quantity,
      amount: totalAmount,
      isFee: false,
    })),
    ...[...Map.groupBy(ofKind('shipping'), ({ code }) => code)].map(([code, parts]) => ({
      lineItemId: null,
      shippingCode: code,
      quantity: 1,
      amount: total(parts.map((part) => part.amount)),
      isFee: parts.every(({ source }) => source?.type === feeSource),
    })),
  ];
  const sharesOf = (kind: 'discount' | 'credit') => {
    const parts = ofKind(kind).map((part) => ({ shares: divide(part, listed), isShared: isOfAll(part, listed) }));
    const sumAt = (at: number, of = parts) => of.reduce((sum, { shares }) => sum + (shares[at] ?? 0), 0);
    const ofAll = parts.filter(({ isShared }) => isShared);
    return listed.map((_, at) => ({ share: sumAt(at), ofAll: sumAt(at, ofAll) }));
  };
  const discounts = keepAboveZero(
    listed.map(({ amount }) => amount),
    sharesOf('discount'),
    listed,
  );
  const discounted = listed.map(({ amount }, at) => amount + (discounts[at] as number));
  const plainCredits = sharesOf('credit');
  const reduced = listed.map((charge, at) => ({
    ...charge,
    amount: (discounted[at] as number) + (plainCredits[at]?.share ?? 0),
  }));
  const taxes = taxLines.map((part) => divide(part, reduced));
  const taxAt = (at: number, of = taxes) => of.reduce((sum, shares) => sum + (shares[at] ?? 0), 0);
  const onTop = taxes.filter((_, position) => !taxLines[position]?.included);
  const taxed = discounted.map((amount, at) => amount + taxAt(at, onTop));
  const credits = keepAboveZero(taxed, plainCredits, listed);
  const credited = listed.map((charge, at) => ({ ...charge, amount: (taxed[at] as number) + (credits[at] as number) }));
  const roundings = shareRounding(roundingAmount, credited, (at) => taxAt(at));
  return listed.map(({ isFee: _, amount, ...charge }, at) => ({
    ...charge,
    total: amount,
    discount: discounts[at] as number,
    credit: credits[at] as number,
    rounding: roundings[at] as number,
    amount: (credited[at] as Target).amount + (roundings[at] as number),
    tax: taxAt(at),
    taxes: taxes.map((shares) => shares[at] ?? null),
  }));
}

type Target = Omit<Charge, 'tax'> & { isFee: boolean };

/**
 * The reductions of charges, moved from those that they exceed to the others. Discounts and credits of the entire order are
 * divided one by one, so the rounded shares of several can exceed a small charge. What exceeds it is divided among the
 * others by what is left of them, of fees last.
 * @param amounts of the charges before the reductions
 * @param reductions zero or below: all of a charge, and what it bears of those of the entire order, which alone can move
 */
function keepAboveZero(
  amounts: readonly number[],
  reductions: readonly { share: number; ofAll: number }[],
  charges: readonly Target[],
): number[] {
  const shares = reductions.map(({ share }) => share);
  const left = shares.map((share, at) => (amounts[at] as number) + share);
  const moved = left.map((amount, at) => Math.max(0, Math.min(-amount, -(reductions[at]?.ofAll ?? 0))));
  let rest = total(moved);
  if (rest === 0 || rest > total(left.map((amount) => Math.max(0, amount)))) return shares;
  for (const takesFees of [false, true]) {
    const weights = left.map((amount, at) => (charges[at]?.isFee === takesFees ? Math.max(0, amount) : 0));
    const taken = allocate(Math.min(rest, total(weights)), weights);
    rest -= total(taken);
    for (const [at, share] of taken.entries()) moved[at] = (moved[at] as number) - share;
  }
  return shares.map((share, at) => share + (moved[at] as number));
}

/**
 * The shares of the charges in what the total was rounded by, in proportion to what they cost. Each leaves the tax of its
 * charge, so that no refund has more tax than amount.
 */
function shareRounding(amount: number, charges: readonly Target[], taxAt: (at: number) => number): number[] {
  if (amount === 0) return charges.map(() => 0);
  const shares = divide({ itemId: null, shippingCode: null, amount }, charges).map((share) => share ?? 0);
  return keepAboveZero(
    charges.map((charge, at) => charge.amount - taxAt(at)),
    shares.map((share) => ({ share, ofAll: share })),
    charges,
  );
}

/** The charge that a part names; -1 if it applies to the entire order. */
const targetOf = ({ itemId, shippingCode }: Part, charges: readonly Target[]) =>
  charges.findIndex(
    (charge) => charge.lineItemId === itemId && charge.shippingCode === (itemId === null ? shippingCode : null),
  );

const isOfAll = (part: Part, charges: readonly Target[]) => targetOf(part, charges) < 0;

/** The share of a part that each charge bears; null where it does not apply. */
function divide(part: Part, charges: readonly Target[]): (number | null)[] {
  const target = targetOf(part, charges);
  if (target >= 0) return charges.map((_, at) => (at === target ? part.amount : null));
  const amounts = charges.map(({ amount }) => amount);
  // A charge that credits exceed by a rounded share has no negative share of taxes.
  const weights = amounts.some((amount) => amount > 0) ? amounts.map((amount) => Math.max(0, amount)) : amounts;
  return allocateByFirst(
    part.amount,
    weights.map((weight, at) => (charges[at]?.isFee ? 0 : weight)),
    weights,
  );
}
