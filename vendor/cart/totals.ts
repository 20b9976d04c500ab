/**
 * What a sale comes to, and where other packages join in: the lines give the subtotal; steps add adjustments to it, one
 * after another. All amounts are whole minor units of the sale's currency.
 */
import type { RuleCondition } from '@carton/product';
import { extensionPoint, type HasExtensions, object, type TenantDatabase, type TSchema, Type } from '@carton/runtime';
import type { LineProperties } from './properties.ts';
import type { Sale } from './sale.ts';
import type { adjustmentKinds } from './schemas.ts';

/** The largest amount a sale comes to: its sums stay exact far beyond it. */
export const largestAmount = 1_000_000_000_000_000;

export type AdjustmentKind = (typeof adjustmentKinds)[number];

/** What comes on top of the lines, or off them or a shipping charge. */
export interface Adjustment {
  /** Stable, of the step's own: `standard-shipping`, a promotion's code. Of a shipping charge, once in a sale. */
  code: string;
  /** For the shopper to read. */
  label: string;
  kind: AdjustmentKind;
  /** What it adds to the total: zero or above for shipping and tax, zero or below for a discount. */
  amount: number;
  /** The line it is of. A discount of neither a line nor a shipping charge is spread over the lines. */
  lineId?: string;
  /** Of a discount or a tax: `code` of the shipping charge it is of. */
  shippingCode?: string;
  /** What made it: `{ type: 'promotion', id: … }`, `{ type: 'tax_rate', id: … }`. */
  source?: { type: string; id: string };
  /** Of a tax, per cent with up to five decimals, when it is one rate. */
  rate?: number;
  /** A tax that the prices hold already: it is counted as tax and adds nothing to the total. */
  included?: boolean;
}

/** A line that counts: for sale and priced. */
export interface TotalsLine {
  readonly id: string;
  /** Null for a custom line, as is the product. */
  readonly variantId: string | null;
  readonly productId: string | null;
  /** Of a custom line. */
  readonly taxCategory: string | null;
  readonly properties: LineProperties;
  /** Grams of one piece. */
  readonly weight: number | null;
  readonly quantity: number;
  readonly unitPrice: number;
  /** quantity × unitPrice */
  readonly total: number;
  /** `total` less the discounts of this line so far. */
  readonly discountedTotal: number;
}

/** A shipping charge. */
export interface ShippingCharge {
  readonly code: string;
  readonly amount: number;
  /** `amount` less the discounts of this charge so far. */
  readonly discountedAmount: number;
}

export interface Totals {
  readonly subtotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  /** Always zero: what pays is no adjustment. Kept for whoever read it. */
  readonly credit: number;
  readonly total: number;
}

/** What the steps before have made of the sale. */
export interface TotalsDraft {
  readonly sale: Sale;
  /** The region it is sold in, null when it is in none. `taxInclusive`: the prices hold their tax. */
  readonly region: { readonly id: string; readonly taxInclusive: boolean } | null;
  readonly lines: readonly TotalsLine[];
  readonly shipping: readonly ShippingCharge[];
  readonly adjustments: readonly Adjustment[];
  readonly totals: Totals;
}

/**
 * The places of steps, in the order in which they run. A number in between is a place too.
 * Discounts come off the goods first; shipping is chosen by what is left; a discount on shipping follows it; taxes
 * look at all of that, so nothing but a tax follows a tax.
 */
export const totalsOrder = { discount: 100, shipping: 200, shippingDiscount: 300, tax: 400 } as const;

/**
 * A step of the pipeline: it says what it reads, and then answers its adjustments from that alone. It changes nothing
 * and calls no other service: it runs whenever a cart is read, and in the checkout's transaction with row locks held.
 */
export interface TotalsStep<Read = unknown, Choice = unknown> {
  readonly name: string;
  /** See totalsOrder; steps of the same order run in dependency order of their packages. */
  readonly order: number;
  /** The shape of what is chosen of it: an object. Left out, there is nothing to choose. */
  readonly choice?: TSchema;
  /**
   * What it needs of the database, in one statement: the reads of all steps and those of the prices travel in one round
   * trip.
   * @param choice what the sale itself brings; left out, the choice is that of `sale.cartId` in the step's own tables
   */
  reads?(db: TenantDatabase, sale: Sale, choice: Choice | undefined): Promise<Read>;
  /** The conditions of its rules: the facts they ask about are read in one more round trip, with those of all steps. */
  conditions?(read: Read): readonly RuleCondition[];
  /** Its adjustments. Pure. */
  adjust(draft: TotalsDraft, read: Read, facts: LineFacts): readonly Adjustment[];
}

export interface LineFacts {
  /** Whether a condition that `conditions` named holds for a line; without one, for the shopper. */
  holds(condition: RuleCondition, line?: TotalsLine): boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each step reads and is chosen in a way of its own.
export type AnyStep = TotalsStep<any, any>;

/** Where shipping, promotions and taxes join in. */
export const cartTotals = extensionPoint<AnyStep>('cart.totals');

/**
 * Declares a step, with the types of what it reads and of what is chosen of it.
 * @example definePackage({ extends: [cartTotals.with(totalsStep({
 *            name: 'shipping', order: totalsOrder.shipping, choice: object({ optionId: Uuid }),
 *            reads: (db, { cartId }, choice) => findOption(db, { cartId, optionId: choice?.optionId ?? null }),
 *            adjust: (_, option) =>
 *              option ? [{ code: option.code, label: option.name, kind: 'shipping', amount: option.price }] : [] }))] });
 */
export function totalsStep<Read = undefined, Choice = never>(step: TotalsStep<Read, Choice>): TotalsStep<Read, Choice> {
  return step;
}

/** The steps of a box in the order in which they run. */
export function stepsOf(box: HasExtensions): AnyStep[] {
  return cartTotals.of(box).toSorted((one, other) => one.order - other.order);
}

/** The shape of a sale's choices in a box, by the names of the steps: for the body of a route, with `withOverrides`. */
export function choicesSchema(box: HasExtensions): TSchema {
  const choices = stepsOf(box).flatMap(({ name, choice }) => (choice ? [[name, Type.Optional(choice)]] : []));
  return object(Object.fromEntries(choices), { $id: 'SaleChoices', description: 'What is chosen of each step' });
}

export const noTotals: Totals = { subtotal: 0, discount: 0, shipping: 0, tax: 0, credit: 0, total: 0 };
