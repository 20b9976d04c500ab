/**
 * The totals pipeline: what a cart comes to. The lines give the subtotal; steps that other packages register add
 * adjustments to it, one after another. All amounts are whole minor units of the cart's currency.
 */
import { extensionPoint, type TenantDatabase } from '@carton/runtime';
import type { adjustmentKinds } from './schemas.ts';

/** The largest amount a cart comes to: its sums stay exact far beyond it. */
export const largestAmount = 1_000_000_000_000_000;

export type AdjustmentKind = (typeof adjustmentKinds)[number];

/** What comes on top of the lines, or off them. */
export interface Adjustment {
  /** Stable, of the step's own: `standard-shipping`, a promotion's code. */
  code: string;
  /** For the shopper to read. */
  label: string;
  kind: AdjustmentKind;
  /** What it adds to the total: zero or above for shipping and tax, zero or below for discount and credit. */
  amount: number;
  /** The line it is of; left out when it is of the whole cart. */
  lineId?: string;
  /** A tax that the prices hold already: it is counted as tax and adds nothing to the total. */
  included?: boolean;
}

/** A line that counts: for sale and priced. */
export interface TotalsLine {
  readonly id: string;
  readonly variantId: string;
  readonly productId: string;
  /** Grams of one piece. */
  readonly weight: number | null;
  readonly quantity: number;
  readonly unitPrice: number;
  /** quantity × unitPrice */
  readonly total: number;
  /** `total` less the discounts of this line so far. */
  readonly discountedTotal: number;
}

export interface Totals {
  readonly subtotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  readonly credit: number;
  readonly total: number;
}

/** The cart a step looks at; its own choices (an option, a code) a step reads from its own tables by `id`. */
export interface TotalsCart {
  readonly id: string;
  readonly memberId: string | null;
  readonly regionId: string | null;
  readonly currency: string;
  readonly email: string | null;
  readonly shippingAddress: {
    readonly country: string;
    readonly province: string | null;
    readonly postalCode: string | null;
  } | null;
  readonly billingAddress: {
    readonly country: string;
    readonly province: string | null;
    readonly postalCode: string | null;
  } | null;
}

/** What the steps before have made of the cart. */
export interface TotalsDraft {
  readonly cart: TotalsCart;
  readonly lines: readonly TotalsLine[];
  readonly adjustments: readonly Adjustment[];
  readonly totals: Totals;
}

/**
 * The places of steps, in the order in which they run. A number in between is a place too.
 * Discounts come off the goods first; shipping is chosen by what is left; a discount on shipping follows it; taxes
 * look at all of that; credit pays.
 */
export const totalsOrder = { discount: 100, shipping: 200, shippingDiscount: 300, tax: 400, credit: 500 } as const;

/**
 * A step of the pipeline. It answers its adjustments from the draft and from what it reads in the database, and
 * changes nothing: it runs whenever a cart is read, and in the checkout's transaction with row locks held, so it never
 * calls another service.
 * @example definePackage({ extends: [cartTotals.with({
 *            name: 'shipping', order: totalsOrder.shipping,
 *            adjust: async (db, { cart }) => {
 *              const option = await findChosenOption(db, cart.id);
 *              return option ? [{ code: option.code, label: option.name, kind: 'shipping', amount: option.price }] : [];
 *            } })] })
 */
export interface TotalsStep {
  readonly name: string;
  /** See totalsOrder; steps of the same order run in dependency order of their packages. */
  readonly order: number;
  adjust(db: TenantDatabase, draft: TotalsDraft): Promise<readonly Adjustment[]> | readonly Adjustment[];
}

/** Where shipping, promotions, taxes and gift cards join in. */
export const cartTotals = extensionPoint<TotalsStep>('cart.totals');

export const noTotals: Totals = { subtotal: 0, discount: 0, shipping: 0, tax: 0, credit: 0, total: 0 };

/**
 * Runs the steps over the lines that count. Without such a line none runs: nothing is sold, so nothing is charged.
 * @throws Error naming the step that breaks a rule of adjustments
 */
export async function runTotals(
  db: TenantDatabase,
  cart: TotalsCart,
  lines: readonly TotalsLine[],
): Promise<Pick<TotalsDraft, 'adjustments' | 'totals'>> {
  const subtotal = lines.reduce((sum, line) => sum + line.total, 0);
  let draft: TotalsDraft = { cart, lines, adjustments: [], totals: { ...noTotals, subtotal, total: subtotal } };
  const steps = lines.length === 0 ? [] : cartTotals.of(db).toSorted((one, other) => one.order - other.order);
  for (const step of steps) {
    for (const adjustment of await step.adjust(db, draft)) draft = withAdjustment(draft, adjustment, step.name);
  }
  const { adjustments, totals } = draft;
  return { adjustments, totals };
}

/** The draft with one more adjustment. What is taken off is cut to what there is: no line and no cart falls below zero. */
function withAdjustment(draft: TotalsDraft, given: Adjustment, step: string): TotalsDraft {
  const line = draft.lines.find(({ id }) => id === given.lineId);
  const wrong = faultOf(given, line);
  if (wrong) throw new Error(`totals step ${step}: the adjustment ${given.code} ${wrong}`);
  const { kind } = given;
  const left = Math.min(draft.totals.total, kind === 'discount' && line ? line.discountedTotal : largestAmount);
  const amount = given.amount < 0 ? -Math.min(-given.amount, left) || 0 : given.amount;
  const totals = { ...draft.totals, [kind]: draft.totals[kind] + amount };
  if (!given.included) totals.total += amount;
  if (!Number.isSafeInteger(totals.total)) throw new Error(`totals step ${step}: the total is too large`);
  const lines =
    kind === 'discount' && line
      ? draft.lines.map((each) => (each === line ? { ...line, discountedTotal: line.discountedTotal + amount } : each))
      : draft.lines;
  return { ...draft, lines, adjustments: [...draft.adjustments, { ...given, amount }], totals };
}

function faultOf({ kind, amount, lineId, included }: Adjustment, line: TotalsLine | undefined): string | null {
  if (!Number.isSafeInteger(amount) || Math.abs(amount) > largestAmount) return `has the amount ${amount}`;
  const takesOff = kind === 'discount' || kind === 'credit';
  if (takesOff ? amount > 0 : amount < 0) return `is of the kind ${kind} and has the amount ${amount}`;
  if (lineId !== undefined && !line) return `is of the line ${lineId}, which does not count`;
  if (included && kind !== 'tax') return `is included and not a tax`;
  return null;
}
