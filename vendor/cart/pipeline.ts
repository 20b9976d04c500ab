/**
 * The totals pipeline: pure functions over priced lines and steps whose reads are done.
 */
import { allocate } from '@carton/runtime';
import {
  type Adjustment,
  largestAmount,
  type MissingQuote,
  noTotals,
  type ShippingCharge,
  type TotalsDraft,
  type TotalsLine,
} from './totals.ts';

/** A step whose reads are done. */
export interface ReadyStep {
  readonly name: string;
  adjust(draft: TotalsDraft): readonly Adjustment[];
  missing?(draft: TotalsDraft): MissingQuote | null;
}

/** A quote that the step of this name lacks. */
export interface MissingQuoteOfStep extends MissingQuote {
  readonly step: string;
}

/**
 * Runs the steps in the order passed. Without lines no step runs, so an empty sale is never charged. The total is always
 * the subtotal plus all adjustments except included taxes. Discounts are capped so that no total, line or shipping charge
 * falls below zero.
 * @throws Error naming the step whose adjustment is invalid
 */
export function runTotals(
  { sale, region }: Pick<TotalsDraft, 'sale' | 'region'>,
  lines: readonly TotalsLine[],
  steps: readonly ReadyStep[],
): TotalsDraft & { missingQuotes: readonly MissingQuoteOfStep[] } {
  const subtotal = lines.reduce((sum, line) => sum + line.total, 0);
  const totals = { ...noTotals, subtotal, total: subtotal };
  let draft: TotalsDraft = { sale, region, lines, shipping: [], adjustments: [], totals };
  const missingQuotes: MissingQuoteOfStep[] = [];
  for (const step of lines.length === 0 ? [] : steps) {
    const missing = step.missing?.(draft);
    if (missing) missingQuotes.push({ ...missing, step: step.name });
    for (const adjustment of step.adjust(draft)) {
      const violation = violationOf(draft, adjustment);
      if (violation) throw new Error(`totals step ${step.name}: the adjustment ${adjustment.code} ${violation}`);
      draft = withAdjustment(draft, adjustment);
      if (!Number.isSafeInteger(draft.totals.total))
        throw new Error(`totals step ${step.name}: the total is too large`);
    }
  }
  return { ...draft, missingQuotes };
}

function withAdjustment(draft: TotalsDraft, adjustment: Adjustment): TotalsDraft {
  const { kind, code, amount } = adjustment;
  if (kind === 'discount') return withDiscount(draft, adjustment);
  const next = withSum(draft, adjustment);
  if (kind === 'tax') return next;
  return { ...next, shipping: [...draft.shipping, { code, amount, discountedAmount: amount }] };
}

/** The draft with the adjustment added to its sums. */
function withSum(draft: TotalsDraft, adjustment: Adjustment): TotalsDraft {
  const { kind, amount, included } = adjustment;
  const totals = { ...draft.totals, [kind]: draft.totals[kind] + amount };
  if (!included) totals.total += amount;
  return { ...draft, totals, adjustments: [...draft.adjustments, adjustment] };
}

function withDiscount(draft: TotalsDraft, adjustment: Adjustment): TotalsDraft {
  const { lineId, shippingCode } = adjustment;
  if (lineId === undefined && shippingCode === undefined) return withSpreadDiscount(draft, adjustment);
  const left =
    lineId === undefined ? chargeOf(draft, adjustment)?.discountedAmount : lineOf(draft, adjustment)?.discountedTotal;
  const amount = capDiscount(adjustment.amount, left as number);
  const next = withSum(draft, { ...adjustment, amount });
  const lines = (line: TotalsLine) => ({ ...line, discountedTotal: line.discountedTotal + amount });
  const charges = (charge: ShippingCharge) => ({ ...charge, discountedAmount: charge.discountedAmount + amount });
  return {
    ...next,
    lines: lineId === undefined ? next.lines : next.lines.map((each) => (each.id === lineId ? lines(each) : each)),
    shipping: next.shipping.map((each) => (each.code === shippingCode ? charges(each) : each)),
  };
}

/** Spreads a discount over all lines in proportion to their discounted totals, so that each line has its actual cost. */
function withSpreadDiscount(draft: TotalsDraft, adjustment: Adjustment): TotalsDraft {
  const weights = draft.lines.map(({ discountedTotal }) => discountedTotal);
  const left = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = allocate(capDiscount(adjustment.amount, left), weights);
  let next = draft;
  for (const [position, { id }] of draft.lines.entries()) {
    const amount = shares[position] ?? 0;
    if (amount !== 0) next = withDiscount(next, { ...adjustment, lineId: id, amount });
  }
  return next;
}

/** The discount (zero or below), at most the amount left; never -0. */
function capDiscount(amount: number, left: number): number {
  return -Math.min(-amount, left) || 0;
}

const lineOf = ({ lines }: TotalsDraft, { lineId }: Adjustment) => lines.find(({ id }) => id === lineId);
const chargeOf = ({ shipping }: TotalsDraft, { shippingCode }: Adjustment) =>
  shipping.find(({ code }) => code === shippingCode);

/** Orders store rates as numeric(8, 5). */
const largestRate = 999.99999;

/** Describes the rule that an adjustment breaks; null if it is valid. */
function violationOf(draft: TotalsDraft, adjustment: Adjustment): string | null {
  const { kind, code, amount, lineId, shippingCode, rate, included } = adjustment;
  if (!Number.isSafeInteger(amount) || Math.abs(amount) > largestAmount) return `has the amount ${amount}`;
  if (kind === 'discount' ? amount > 0 : amount < 0) return `is a ${kind} of ${amount}`;
  if (kind !== 'tax' && draft.adjustments.some((each) => each.kind === 'tax')) return 'follows a tax';
  if (lineId !== undefined && !lineOf(draft, adjustment)) return `is on the line ${lineId}, which is not counted`;
  if (shippingCode !== undefined && !chargeOf(draft, adjustment)) {
    return `is on the unknown shipping charge ${shippingCode}`;
  }
  if (lineId !== undefined && shippingCode !== undefined) return 'is on both a line and a shipping charge';
  if (kind === 'shipping' && (lineId ?? shippingCode) !== undefined) return 'is a shipping charge on a line or charge';
  if (kind === 'shipping' && draft.shipping.some((each) => each.code === code)) return 'is a duplicate shipping charge';
  if (kind !== 'tax' && (included || rate !== undefined))
    return `is not a tax but ${included ? 'is included' : 'has a rate'}`;
  if (rate !== undefined && !(rate >= 0 && rate <= largestRate)) return `has the rate ${rate}`;
  if (included && amount > taxable(draft, adjustment)) return 'exceeds the amount that includes it';
  return null;
}

/** The amount that a tax applies to, after discounts. */
function taxable(draft: TotalsDraft, tax: Adjustment): number {
  if (tax.lineId !== undefined) return lineOf(draft, tax)?.discountedTotal ?? 0;
  if (tax.shippingCode !== undefined) return chargeOf(draft, tax)?.discountedAmount ?? 0;
  const { subtotal, discount, shipping } = draft.totals;
  return subtotal + discount + shipping;
}
