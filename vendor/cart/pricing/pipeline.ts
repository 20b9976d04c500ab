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
  type Totals,
  type TotalsDraft,
  type TotalsLine,
} from './totals.ts';

/** A step whose reads are done. */
export interface ReadyStep {
  readonly name: string;
  adjust(draft: TotalsDraft): readonly Adjustment[];
  missing?(draft: TotalsDraft): MissingQuote | null;
  rounding?(draft: TotalsDraft): number;
}

/** A quote that the step of this name lacks. */
export interface MissingQuoteOfStep extends MissingQuote {
  readonly step: string;
}

/**
 * Runs the steps in the order passed. Without lines no step runs, so an empty sale is never charged. The total is always
 * the subtotal plus all adjustments except included taxes, rounded last. Discounts are capped so that no total, line or
 * shipping charge falls below zero. The time grows with the number of lines plus that of adjustments.
 * @throws Error naming the step whose adjustment is invalid
 */
export function runTotals(
  about: Pick<TotalsDraft, 'sale' | 'region'>,
  lines: readonly TotalsLine[],
  steps: readonly ReadyStep[],
): TotalsResult {
  const parts = totalsInParts(about, lines, steps);
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
  }
}

type TotalsResult = TotalsDraft & { missingQuotes: readonly MissingQuoteOfStep[] };

/**
 * The same as `runTotals` in parts: yields once a step has computed its adjustments, and once they are added.
 * @throws Error as `runTotals`
 */
export function* totalsInParts(
  { sale, region }: Pick<TotalsDraft, 'sale' | 'region'>,
  lines: readonly TotalsLine[],
  steps: readonly ReadyStep[],
): Generator<void, TotalsResult, void> {
  const sums = new Sums(lines);
  const missingQuotes: MissingQuoteOfStep[] = [];
  // The same until an adjustment is added.
  let last: { at: number; draft: TotalsDraft } | null = null;
  const draft = (): TotalsDraft => {
    if (last?.at !== sums.changes) last = { at: sums.changes, draft: { sale, region, ...sums.copy() } };
    return last.draft;
  };
  for (const step of lines.length === 0 ? [] : steps) {
    const before = draft();
    const missing = step.missing?.(before);
    if (missing) missingQuotes.push({ ...missing, step: step.name });
    const adjustments = step.adjust(before);
    if (adjustments.length > 0) yield;
    for (const adjustment of adjustments) {
      const violation = violationOf(sums, adjustment);
      if (violation) throw new Error(`totals step ${step.name}: the adjustment ${adjustment.code} ${violation}`);
      sums.add(adjustment);
      if (!Number.isSafeInteger(sums.totals.total)) throw new Error(`totals step ${step.name}: the total is too large`);
    }
    yield;
  }
  const unrounded = draft();
  for (const { name, rounding } of lines.length === 0 ? [] : steps) sums.round(rounding?.(unrounded) ?? 0, name);
  return { ...draft(), missingQuotes };
}

type Changing<T> = { -readonly [Name in keyof T]: T[Name] };

/** The sums of a sale while adjustments are added: changed in place, since a copy for each would be quadratic. */
class Sums {
  readonly lines: ReadonlyMap<string, Changing<TotalsLine>>;
  readonly charges = new Map<string, Changing<ShippingCharge>>();
  readonly adjustments: Adjustment[] = [];
  readonly totals: Changing<Totals>;
  hasTax = false;
  /** How often they have changed. */
  changes = 0;

  constructor(lines: readonly TotalsLine[]) {
    this.lines = new Map(lines.map((line) => [line.id, { ...line }]));
    const subtotal = lines.reduce((sum, line) => sum + line.total, 0);
    this.totals = { ...noTotals, subtotal, total: subtotal };
  }

  /** As they are now: later adjustments do not change the copy. */
  copy(): Pick<TotalsDraft, 'lines' | 'shipping' | 'adjustments' | 'totals'> {
    return {
      lines: [...this.lines.values()].map((line) => ({ ...line })),
      shipping: [...this.charges.values()].map((charge) => ({ ...charge })),
      adjustments: [...this.adjustments],
      totals: { ...this.totals },
    };
  }

  lineOf({ lineId }: Adjustment): Changing<TotalsLine> | undefined {
    return lineId === undefined ? undefined : this.lines.get(lineId);
  }

  chargeOf({ shippingCode }: Adjustment): Changing<ShippingCharge> | undefined {
    return shippingCode === undefined ? undefined : this.charges.get(shippingCode);
  }

  /** Adds a valid adjustment. */
  add(adjustment: Adjustment): void {
    this.changes += 1;
    const { kind, code, amount } = adjustment;
    if (kind === 'discount') {
      this.#discount(adjustment);
      return;
    }
    if (kind === 'shipping') this.charges.set(code, { code, amount, discountedAmount: amount });
    else this.hasTax = true;
    this.#count(adjustment);
  }

  /** Rounds the total. @throws Error naming the step if the total would fall below zero */
  round(amount: number, step: string): void {
    if (!Number.isSafeInteger(amount) || this.totals.total + amount < 0) {
      throw new Error(`totals step ${step}: the total of ${this.totals.total} is rounded by ${amount}`);
    }
    this.changes += 1;
    this.totals.rounding += amount;
    this.totals.total += amount;
  }

  #count(adjustment: Adjustment): void {
    const { kind, amount, included } = adjustment;
    this.totals[kind] += amount;
    if (!included) this.totals.total += amount;
    this.adjustments.push(adjustment);
  }

  /** A discount on neither a line nor a charge is spread over all lines in proportion to their discounted totals. */
  #discount(adjustment: Adjustment): void {
    const line = this.lineOf(adjustment);
    const charge = this.chargeOf(adjustment);
    if (line) {
      const amount = capDiscount(adjustment.amount, line.discountedTotal);
      line.discountedTotal += amount;
      this.#count(withAmount(adjustment, amount));
    } else if (charge) {
      const amount = capDiscount(adjustment.amount, charge.discountedAmount);
      charge.discountedAmount += amount;
      this.#count(withAmount(adjustment, amount));
    } else {
      const lines = [...this.lines.values()];
      const weights = lines.map(({ discountedTotal }) => discountedTotal);
      const left = weights.reduce((sum, weight) => sum + weight, 0);
      const shares = allocate(capDiscount(adjustment.amount, left), weights);
      for (const [position, { id }] of lines.entries()) {
        const amount = shares[position] ?? 0;
        if (amount !== 0) this.#discount({ ...adjustment, lineId: id, amount });
      }
    }
  }

  /** The amount that a tax applies to, after discounts. */
  taxable(tax: Adjustment): number {
    if (tax.lineId !== undefined) return this.lineOf(tax)?.discountedTotal ?? 0;
    if (tax.shippingCode !== undefined) return this.chargeOf(tax)?.discountedAmount ?? 0;
    const { subtotal, discount, shipping } = this.totals;
    return subtotal + discount + shipping;
  }
}

/** The adjustment with this amount: itself if it has it. */
function withAmount(adjustment: Adjustment, amount: number): Adjustment {
  return Object.is(adjustment.amount, amount) ? adjustment : { ...adjustment, amount };
}

/** The discount (zero or below), at most the amount left; never -0. */
function capDiscount(amount: number, left: number): number {
  return -Math.min(-amount, left) || 0;
}

/** Orders store rates as numeric(8, 5). */
const largestRate = 999.99999;

/** Describes the rule that an adjustment breaks; null if it is valid. */
function violationOf(sums: Sums, adjustment: Adjustment): string | null {
  const { kind, code, amount, lineId, shippingCode, rate, included } = adjustment;
  if (!Number.isSafeInteger(amount) || Math.abs(amount) > largestAmount) return `has the amount ${amount}`;
  if (kind === 'discount' ? amount > 0 : amount < 0) return `is a ${kind} of ${amount}`;
  if (kind !== 'tax' && sums.hasTax) return 'follows a tax';
  if (lineId !== undefined && !sums.lineOf(adjustment)) return `is on the line ${lineId}, which is not counted`;
  if (shippingCode !== undefined && !sums.chargeOf(adjustment)) {
    return `is on the unknown shipping charge ${shippingCode}`;
  }
  if (lineId !== undefined && shippingCode !== undefined) return 'is on both a line and a shipping charge';
  if (kind === 'shipping' && (lineId ?? shippingCode) !== undefined) return 'is a shipping charge on a line or charge';
  if (kind === 'shipping' && sums.charges.has(code)) return 'is a duplicate shipping charge';
  if (kind !== 'tax' && (included || rate !== undefined))
    return `is not a tax but ${included ? 'is included' : 'has a rate'}`;
  if (rate !== undefined && !(rate >= 0 && rate <= largestRate)) return `has the rate ${rate}`;
  if (included && amount > sums.taxable(adjustment)) return 'exceeds the amount that includes it';
  return null;
}
