/**
 * The pipeline of totals: pure, over lines that are priced and steps that have read what they need.
 */
import { allocate } from '@carton/runtime';
import {
  type Adjustment,
  largestAmount,
  noTotals,
  type ShippingCharge,
  type TotalsDraft,
  type TotalsLine,
} from './totals.ts';

/** A step that has read what it needs. */
export interface ReadyStep {
  readonly name: string;
  adjust(draft: TotalsDraft): readonly Adjustment[];
}

/**
 * Runs steps, in their order, over the lines that count. Without such a line none runs: nothing is sold, so nothing is
 * charged. The total is always the subtotal and all adjustments but included taxes, and neither it nor a line nor a
 * shipping charge is ever below zero: what is taken off is cut to what is left.
 * @throws Error naming the step that breaks a rule of adjustments
 */
export function runTotals(
  { sale, region }: Pick<TotalsDraft, 'sale' | 'region'>,
  lines: readonly TotalsLine[],
  steps: readonly ReadyStep[],
): TotalsDraft {
  const subtotal = lines.reduce((sum, line) => sum + line.total, 0);
  const totals = { ...noTotals, subtotal, total: subtotal };
  let draft: TotalsDraft = { sale, region, lines, shipping: [], adjustments: [], totals };
  for (const step of lines.length === 0 ? [] : steps) {
    for (const given of step.adjust(draft)) {
      const wrong = faultOf(draft, given);
      if (wrong) throw new Error(`totals step ${step.name}: the adjustment ${given.code} ${wrong}`);
      draft = withAdjustment(draft, given);
      if (!Number.isSafeInteger(draft.totals.total))
        throw new Error(`totals step ${step.name}: the total is too large`);
    }
  }
  return draft;
}

function withAdjustment(draft: TotalsDraft, given: Adjustment): TotalsDraft {
  const { kind, code, amount } = given;
  if (kind === 'discount') return withDiscount(draft, given);
  const next = added(draft, given);
  if (kind === 'tax') return next;
  return { ...next, shipping: [...draft.shipping, { code, amount, discountedAmount: amount }] };
}

/** The draft with one more adjustment in its sums. */
function added(draft: TotalsDraft, adjustment: Adjustment): TotalsDraft {
  const { kind, amount, included } = adjustment;
  const totals = { ...draft.totals, [kind]: draft.totals[kind] + amount };
  if (!included) totals.total += amount;
  return { ...draft, totals, adjustments: [...draft.adjustments, adjustment] };
}

function withDiscount(draft: TotalsDraft, given: Adjustment): TotalsDraft {
  const { lineId, shippingCode } = given;
  if (lineId === undefined && shippingCode === undefined) return withSpreadDiscount(draft, given);
  const left = lineId === undefined ? chargeOf(draft, given)?.discountedAmount : lineOf(draft, given)?.discountedTotal;
  const amount = cut(given.amount, left as number);
  const next = added(draft, { ...given, amount });
  const lines = (line: TotalsLine) => ({ ...line, discountedTotal: line.discountedTotal + amount });
  const charges = (charge: ShippingCharge) => ({ ...charge, discountedAmount: charge.discountedAmount + amount });
  return {
    ...next,
    lines: lineId === undefined ? next.lines : next.lines.map((each) => (each.id === lineId ? lines(each) : each)),
    shipping: next.shipping.map((each) => (each.code === shippingCode ? charges(each) : each)),
  };
}

/** A discount of all lines is one of each, in proportion to what is left of it: so a line knows what it really cost. */
function withSpreadDiscount(draft: TotalsDraft, given: Adjustment): TotalsDraft {
  const weights = draft.lines.map(({ discountedTotal }) => discountedTotal);
  const left = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = allocate(cut(given.amount, left), weights);
  let next = draft;
  for (const [position, { id }] of draft.lines.entries()) {
    const amount = shares[position] ?? 0;
    if (amount !== 0) next = withDiscount(next, { ...given, lineId: id, amount });
  }
  return next;
}

/** What is taken off, not more than there is; never -0. */
function cut(amount: number, left: number): number {
  return -Math.min(-amount, left) || 0;
}

const lineOf = ({ lines }: TotalsDraft, { lineId }: Adjustment) => lines.find(({ id }) => id === lineId);
const chargeOf = ({ shipping }: TotalsDraft, { shippingCode }: Adjustment) =>
  shipping.find(({ code }) => code === shippingCode);

/** numeric(8, 5), where orders keep it. */
const largestRate = 999.99999;

/** Which rule an adjustment breaks, in words; null for none. */
function faultOf(draft: TotalsDraft, given: Adjustment): string | null {
  const { kind, code, amount, lineId, shippingCode, rate, included } = given;
  if (!Number.isSafeInteger(amount) || Math.abs(amount) > largestAmount) return `has the amount ${amount}`;
  if (kind === 'discount' ? amount > 0 : amount < 0) return `is of the kind ${kind} and has the amount ${amount}`;
  if (kind !== 'tax' && draft.adjustments.some((each) => each.kind === 'tax')) return 'comes after a tax';
  if (lineId !== undefined && !lineOf(draft, given)) return `is of the line ${lineId}, which does not count`;
  if (shippingCode !== undefined && !chargeOf(draft, given)) {
    return `is of the shipping charge ${shippingCode}, which there is not`;
  }
  if (lineId !== undefined && shippingCode !== undefined) return 'is of a line and of a shipping charge';
  if (kind === 'shipping' && (lineId ?? shippingCode) !== undefined) return 'is a shipping charge of something else';
  if (kind === 'shipping' && draft.shipping.some((each) => each.code === code)) return 'is a shipping charge twice';
  if (kind !== 'tax' && (included || rate !== undefined)) return `is ${included ? 'included' : 'a rate'} and not a tax`;
  if (rate !== undefined && !(rate >= 0 && rate <= largestRate)) return `has the rate ${rate}`;
  if (included && amount > taxable(draft, given)) return `is included in less than ${amount}`;
  return null;
}

/** What a tax is of, after discounts. */
function taxable(draft: TotalsDraft, tax: Adjustment): number {
  if (tax.lineId !== undefined) return lineOf(draft, tax)?.discountedTotal ?? 0;
  if (tax.shippingCode !== undefined) return chargeOf(draft, tax)?.discountedAmount ?? 0;
  const { subtotal, discount, shipping } = draft.totals;
  return subtotal + discount + shipping;
}
