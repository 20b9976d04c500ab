/**
 * Totals of a sale and the extension point that computes them: the lines give the subtotal, then each step adds its
 * adjustments. All amounts are integer minor units of the sale's currency.
 */
import type { RuleCondition } from '@carton/product';
import { extensionPoint, type HasExtensions, type Static, type TenantDatabase, type TSchema } from '@carton/runtime';
import type { Asker } from '../quotes/asker.ts';
import type { BuyerTax } from './buyer-tax.ts';
import type { LineProperties, Sale } from './sale.ts';

/** The largest total of a sale, in minor units. Sums stay exact far beyond it. */
export const largestAmount = 1_000_000_000_000_000;

/** Why a line cannot be ordered. */
export const issues = ['unavailable', 'unpriced', 'insufficient_stock', 'quantity_limit'] as const;
export const adjustmentKinds = ['discount', 'shipping', 'tax'] as const;
/** Why a sale as a whole cannot be ordered. */
export const cartIssues = [
  'country_not_served',
  'currency_changed',
  'minimum_order',
  'postal_code_invalid',
  'province_missing',
  'province_unknown',
] as const;

/** A reason why the sale as a whole cannot be ordered. */
export type CartIssue = (typeof cartIssues)[number];

export type AdjustmentKind = (typeof adjustmentKinds)[number];

/** A charge, tax or discount on the sale, a line or a shipping charge. */
export interface Adjustment {
  /** Stable, chosen by the step: `standard-shipping`, a promotion's code. Unique among the shipping charges of a sale. */
  code: string;
  /** Shown to the shopper. */
  label: string;
  kind: AdjustmentKind;
  /** Zero or above for shipping and tax, zero or below for a discount. */
  amount: number;
  /** The line it applies to. A discount on neither a line nor a shipping charge is spread over the lines. */
  lineId?: string;
  /** For a discount or a tax: `code` of the shipping charge it applies to. */
  shippingCode?: string;
  /** Where it comes from: `{ type: 'promotion', id: … }`, `{ type: 'tax_rate', id: … }`. */
  source?: { type: string; id: string };
  /** For a tax at a single rate: per cent, with up to five decimals. */
  rate?: number;
  /** The prices already contain this tax: it counts as tax and adds nothing to the total. */
  included?: boolean;
}

/** A line that is for sale and priced. Other lines are left out of the totals. */
export interface TotalsLine {
  readonly id: string;
  /** Null for a custom line, like `productId`. */
  readonly variantId: string | null;
  readonly productId: string | null;
  /** Code of the tax category of the product or the custom line; null for the default category. */
  readonly taxCategory: string | null;
  /** Code of the shipping profile of the product; null for the default profile and for a custom line. */
  readonly shippingProfile: string | null;
  readonly properties: LineProperties;
  /** Grams per unit. */
  readonly weight: number | null;
  /** False for what reaches the shopper without a parcel; absent for true. */
  readonly requiresShipping?: boolean;
  readonly quantity: number;
  readonly unitPrice: number;
  /** quantity × unitPrice */
  readonly total: number;
  /** `total` less the discounts on this line so far. */
  readonly discountedTotal: number;
}

/** A shipping charge. */
export interface ShippingCharge {
  readonly code: string;
  readonly amount: number;
  /** `amount` less the discounts on this charge so far. */
  readonly discountedAmount: number;
}

export interface Totals {
  readonly subtotal: number;
  readonly discount: number;
  readonly shipping: number;
  readonly tax: number;
  /** Always zero, because payments are not adjustments. Remains for compatibility. */
  readonly credit: number;
  /** What the total was rounded by, up or down; no tax, and no price of a line. */
  readonly rounding: number;
  readonly total: number;
}

/** The sale with the adjustments of all earlier steps. */
export interface TotalsDraft {
  readonly sale: Sale;
  /**
   * The region of the sale, or null. `taxInclusive`: prices contain tax; `shippingTaxInclusive`: charges do (null, or
   * absent: as prices).
   */
  readonly region: {
    readonly id: string;
    readonly taxInclusive: boolean;
    readonly shippingTaxInclusive?: boolean | null;
  } | null;
  readonly lines: readonly TotalsLine[];
  readonly shipping: readonly ShippingCharge[];
  readonly adjustments: readonly Adjustment[];
  readonly totals: Totals;
}

/**
 * Order values of steps, lowest first. Numbers in between are valid too.
 * Discounts on goods come first; shipping may depend on the discounted goods; discounts on shipping follow; taxes apply
 * to all of that, so only taxes may follow a tax.
 */
export const totalsOrder = { discount: 100, shipping: 200, shippingDiscount: 300, tax: 400 } as const;

/**
 * A step of the pipeline: it declares what it reads, then computes its adjustments from that alone. A step must not
 * write or call other services: it runs on every read of a cart, and in the checkout's transaction while row locks are
 * held.
 */
export interface TotalsStep<Read = unknown, Choice = unknown, Shown extends TSchema = TSchema> {
  readonly name: string;
  /** See totalsOrder. Steps with the same order run in dependency order of their packages. */
  readonly order: number;
  /** Schema (an object) of the step's entry in a sale's `choices`. Omitted: the step has no choices. */
  readonly choice?: TSchema;
  /**
   * For a step that stores the choice for a cart in its own tables: an SQL expression for it as JSON, of the tenant `$1`
   * and the cart `carts.id`. It is read with the cart.
   */
  readonly storedChoice?: string;
  /**
   * Reads what the step needs, in one statement: the reads of all steps and of the prices share one round trip. Steps
   * with the same function share its result, read with the choice of the first of them.
   * @param choice from the sale's `choices`, or the stored one; if undefined, the choice stored for `sale.cartId` in the
   *   step's own tables applies
   */
  reads?(db: TenantDatabase, sale: Sale, choice: Choice | undefined): Promise<Read>;
  /** Conditions of the step's rules. The facts of all steps' conditions are read in one more round trip. */
  conditions?(read: Read): readonly RuleCondition[];
  /** Computes the adjustments. A pure function. */
  adjust(draft: TotalsDraft, read: Read, facts: LineFacts): readonly Adjustment[];
  /**
   * What the total is rounded by once all steps have run, in minor units: positive or negative, at most the total. A pure
   * function of what `adjust` gets; the draft has no rounding yet.
   */
  rounding?(draft: TotalsDraft, read: Read): number;
  /** Why the sale cannot be ordered, as far as the step knows. A pure function of what `adjust` gets. */
  issues?(draft: TotalsDraft, read: Read): readonly CartIssue[];
  /** What the step knows of the buyer; of one step at most. A pure function of the sale with the adjustments of all steps. */
  buyerTax?(draft: TotalsDraft, read: Read): BuyerTax;
  /** What carts in responses show of the step, in a field with the name of the step. */
  readonly shows?: ShownInCart<Read, Shown>;
  /**
   * For a step whose amounts come from a service outside of the box: the answer that the step lacks, so that `adjust`
   * estimates; null if it lacks none. A pure function of what `adjust` gets.
   */
  missing?(draft: TotalsDraft, read: Read): MissingQuote | null;
  /** Whether the step may ask a service in this box. Required with `missing`. */
  asksService?(box: HasExtensions): boolean;
}

/** A field that a step adds to carts in responses. */
export interface ShownInCart<Read, Shown extends TSchema> {
  readonly schema: Shown;
  /**
   * Computes the value. A pure function. Without lines in the totals, it is called though the step did not run.
   * @param draft the sale with the adjustments of all steps
   */
  of(draft: TotalsDraft, read: Read, facts: LineFacts): Static<Shown>;
  /** The value for a cart without lines, for which the step reads nothing. */
  readonly empty: Static<Shown>;
}

/** A quote of a service, such as the taxes of a sale, that a step lacks. */
export interface MissingQuote {
  /** Tells the shopper what is missing. */
  readonly detail: string;
  /** No order may be placed without the quote. */
  readonly isRequired: boolean;
  /**
   * Asks the service, outside a transaction, and stores its answer for the next pricing of the sale; false if there is
   * none. Null if asking is useless, since the service needs more or has refused. Throws too_many_requests (429) if the asker
   * has asked too much.
   */
  ask: ((db: TenantDatabase, asker: Asker | null) => Promise<boolean>) | null;
}

export interface LineFacts {
  /** Whether a condition returned by `conditions` holds for the line or, without a line, for the shopper. */
  holds(condition: RuleCondition, line?: TotalsLine): boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: each step has its own types of read and choice.
export type AnyStep = TotalsStep<any, any, any>;

/** Steps that compute discounts, charges and taxes of a cart or another sale. */
export const cartTotals = extensionPoint<AnyStep>('cart.totals');

/**
 * Declares a step; infers the types of its read, its choice and what it shows.
 * @example definePackage({ extends: [cartTotals.with(totalsStep({
 *            name: 'shipping', order: totalsOrder.shipping, choice: object({ optionId: Uuid }),
 *            reads: (db, { cartId }, choice) => findOption(db, { cartId, optionId: choice?.optionId ?? null }),
 *            adjust: (_, option) =>
 *              option ? [{ code: option.code, label: option.name, kind: 'shipping', amount: option.price }] : [] }))] });
 */
export function totalsStep<Read = undefined, Choice = never, Shown extends TSchema = TSchema>(
  step: TotalsStep<Read, Choice, Shown>,
): TotalsStep<Read, Choice, Shown> {
  return step;
}

/** The steps of a box, in execution order. */
export function stepsOf(box: HasExtensions): AnyStep[] {
  return cartTotals.of(box).toSorted((one, other) => one.order - other.order);
}

/** Whether prices may depend on a service outside of the box, which is asked before an order's transaction. */
export function asksServices(box: HasExtensions): boolean {
  return cartTotals.of(box).some((step) => step.asksService?.(box));
}

/** What carts without lines show of the steps, by the name of the step. */
export function shownWhenEmpty(box: HasExtensions): Record<string, unknown> {
  return Object.fromEntries(stepsOf(box).flatMap(({ name, shows }) => (shows ? [[name, shows.empty]] : [])));
}

export const noTotals: Totals = { subtotal: 0, discount: 0, shipping: 0, tax: 0, credit: 0, rounding: 0, total: 0 };
