/**
 * Prices a sale: resolves its variants and prices, finds what prevents it from being ordered, and computes the totals.
 */
import { type Availability, availabilityOf } from '@carton/inventory';
import { type PricePlan, planPrices, type ResolvedPrice } from '@carton/pricing';
import {
  allowsQuantity,
  evaluateFacts,
  type FactItem,
  findVariants,
  isForSale,
  type RuleCondition,
  type VariantInfo,
} from '@carton/product';
import { findRegion, type RegionRow } from '@carton/region';
import { faults, runInParts, type TenantDatabase } from '@carton/runtime';
import type { BuyerTax } from './buyer-tax.ts';
import { type Shortfall, shortfallOf } from './minimum-order.ts';
import { type MissingQuoteOfStep, runTotals, totalsInParts } from './pipeline.ts';
import {
  type CustomLine,
  type LineProperties,
  pauseOf,
  type Sale,
  type SaleLine,
  stockSaleOf,
  type VariantLine,
} from './sale.ts';
import { explainPostalCode, findStoreRules, type StoreRules } from './store-rules.ts';
import {
  type Adjustment,
  type AnyStep,
  type CartIssue,
  type issues,
  type LineFacts,
  largestAmount,
  type ShippingCharge,
  shownWhenEmpty,
  stepsOf,
  type Totals,
  type TotalsDraft,
  type TotalsLine,
} from './totals.ts';

/** A reason why a line cannot be ordered. */
export type Issue = (typeof issues)[number];

interface AnyPricedLine {
  id: string;
  quantity: number;
  properties: LineProperties;
  /** Minor units; null if the variant is not for sale or has no price in the sale's currency. */
  unitPrice: number | null;
  /** The regular price of one unit, in minor units, while a lower sale price applies. */
  compareAt: number | null;
  /** The lowest price of the 30 days before that sale price, in minor units; null if unknown. */
  lowestPrior: number | null;
  /** Where the price came from; null for an agreed price and for a line without a price. */
  priceSource: ResolvedPrice['source'] | null;
  /** quantity × unitPrice; null if the line is left out of the totals. */
  total: number | null;
  /** Why the line cannot be ordered; empty if it can. */
  issues: Issue[];
}

export interface PricedLine extends AnyPricedLine {
  variantId: string;
  variant: VariantInfo;
}

export interface PricedCustomLine extends AnyPricedLine, Pick<CustomLine, 'title' | 'taxCategory' | 'weight'> {
  variantId: null;
  variant: null;
}

/** What a transaction has read for steps of the totals before, by the name of the step: it is not read again. */
export type KnownReads = Readonly<Record<string, unknown>>;

interface SaleOptions {
  /** False skips the stock check, for callers that take the stock in the same transaction and fail there. */
  stock?: boolean | undefined;
  /** False if the sale's cart is known to have no stock reserved. */
  isReserved?: boolean | undefined;
  known?: KnownReads | undefined;
  /** The version of the tenant's reference data when the sale was read, if it was. */
  referenceVersion?: string | null | undefined;
}

type PricedLineOf<L extends SaleLine> = L extends VariantLine ? PricedLine : PricedCustomLine;

export interface PricedSale<S extends Sale = Sale> {
  sale: S;
  /** The region of the sale. */
  region: RegionRow | null;
  /** In the same order as the sale's lines. */
  lines: PricedLineOf<S['lines'][number]>[];
  issues: CartIssue[];
  /** By how much a cart's goods fall short of the store's minimum order; null if they do not. */
  shortfall: Shortfall | null;
  shipping: readonly ShippingCharge[];
  adjustments: readonly Adjustment[];
  totals: Totals;
  /** What the step of taxes knows of the buyer; null if it did not run. */
  buyerTax: BuyerTax | null;
  /** What carts in responses show of the steps, by the name of the step. */
  shown: Readonly<Record<string, unknown>>;
  /** Quotes of services that steps lack, so that their amounts are estimates; in the order of the steps. */
  missingQuotes: readonly MissingQuoteOfStep[];
}

/**
 * Prices a sale. One round trip reads everything, whatever the number of lines, price sources and totals steps; a second
 * one reads the facts that their rules refer to, if any.
 *
 * A sale with many lines pauses for others, in a transaction too. Such a transaction has locked the source of the sale,
 * its cart, for which nobody but its shopper waits; what it would hold up without a pause are also transactions that
 * have locked what many wait for, such as stock.
 * @throws Error for an unknown variant, and for choices that no step of the box declares
 */
export async function priceSale<S extends Sale>(
  db: TenantDatabase,
  sale: S,
  { stock = true, isReserved = true, known = {}, referenceVersion = null }: SaleOptions = {},
): Promise<PricedSale<S>> {
  const ids = [...new Set(sale.lines.flatMap(({ variantId }) => variantId ?? []))];
  const items = priceItemsOf(sale);
  // Stock reserved for the cart is available to it.
  const reserved = sale.cartId === null || !isReserved ? undefined : { type: 'cart', id: sale.cartId };
  rejectUnknownChoices(sale, stepsOf(db));
  // Steps do not run for an empty sale.
  const steps = sale.lines.length === 0 ? [] : stepsOf(db);
  return db.pipelined(async (one) => {
    one.knowReferenceVersion(referenceVersion);
    const [variants, plan, availabilities, region, rules, ...reads] = await Promise.all([
      findVariants(one, ids, sale),
      planPrices(one, items, sale),
      stock ? availabilityOf(one, ids, { reserved, sale: stockSaleOf(sale) }) : null,
      sale.regionId === null ? null : findRegion(one, sale.regionId),
      findStoreRules(one, sale),
      ...readSteps(one, sale, { steps, known }),
    ]);
    const conditions = steps.flatMap((step, position) => step.conditions?.(reads[position]) ?? []);
    const facts = await readFacts(one, plan, conditions, [...variants.values()]);
    const prices = plan.resolve(facts, (variantId) => variants.get(variantId)?.productId);
    const data = { variants, availabilities, prices: new Map(items.map((item, at) => [item.id, prices[at] ?? null])) };
    const lines = priceLines(sale, data);
    const lineFacts: LineFacts = {
      holds: (condition, line) => facts.holds(condition, line ? itemOf(line) : null),
    };
    const ready = steps.map(({ name, adjust, missing, rounding }, position) => ({
      name,
      missing: missing && ((draft: TotalsDraft) => missing(draft, reads[position])),
      adjust: (draft: TotalsDraft) => adjust(draft, reads[position], lineFacts),
      rounding: rounding && ((draft: TotalsDraft) => rounding(draft, reads[position])),
    }));
    const pause = pauseOf(sale);
    if (pause) await pause();
    const counted = lines.flatMap(countedLine);
    const about = { sale, region };
    const draft = pause ? await runInParts(totalsInParts(about, counted, ready)) : runTotals(about, counted, ready);
    const { shipping, adjustments, totals, missingQuotes } = draft;
    const shownOf = ({ name, shows }: AnyStep, position: number) =>
      shows ? [[name, shows.of(draft, reads[position], lineFacts)]] : [];
    const shown = steps.length === 0 ? shownWhenEmpty(db) : Object.fromEntries(steps.flatMap(shownOf));
    const [buyerTax = null] = steps.flatMap((step, position) => step.buyerTax?.(draft, reads[position]) ?? []);
    const shortfall = shortfallOf(rules.minimumOrder, sale, draft);
    const ofSteps = steps.flatMap(({ issues }, position) => issues?.(draft, reads[position]) ?? []);
    const issues = [...new Set([...issuesOf(sale, { region, shortfall, rules }), ...ofSteps])];
    const amounts = { shipping, adjustments, totals, buyerTax, shown, missingQuotes };
    if (pause) await pause();
    return { sale, region, lines: lines as never, issues, shortfall, ...amounts };
  });
}

/** Starts the reads of the steps, each function once: what is known of one step is known of all that read by its function. */
function readSteps(
  db: TenantDatabase,
  sale: Sale,
  { steps, known }: { steps: readonly AnyStep[]; known: KnownReads },
): (Promise<unknown> | undefined)[] {
  const started = new Map<unknown, Promise<unknown>>();
  for (const { name, reads } of steps) if (name in known) started.set(reads, Promise.resolve(known[name]));
  return steps.map(({ name, reads }) => {
    if (!reads) return undefined;
    const read = started.get(reads) ?? reads(db, sale, sale.choices[name] ?? sale.storedChoices?.[name]);
    started.set(reads, read);
    return read;
  });
}

/** Lines without an agreed price, with the total quantity of the variant in the sale. */
function priceItemsOf({ lines }: Sale) {
  const quantities = quantitiesOf(lines);
  return lines.flatMap(({ id, variantId, unitPrice, properties }: SaleLine & { unitPrice?: number }) =>
    variantId === null || unitPrice !== undefined
      ? []
      : [{ id, variantId, quantity: quantities.get(variantId) as number, properties }],
  );
}

/** The quantity of each variant, of all its lines together. */
function quantitiesOf(lines: readonly SaleLine[]): Map<string, number> {
  const quantities = new Map<string, number>();
  for (const { variantId, quantity } of lines) {
    if (variantId !== null) quantities.set(variantId, (quantities.get(variantId) ?? 0) + quantity);
  }
  return quantities;
}

/** Reads the facts that the rules of prices and of steps refer to. */
function readFacts(
  db: TenantDatabase,
  { conditions, shopper }: PricePlan,
  ofSteps: readonly RuleCondition[],
  variants: readonly VariantInfo[],
) {
  const items = variants.map(({ id, productId }) => ({ variantId: id, productId }));
  return evaluateFacts(db, [...conditions, ...ofSteps], { items, shopper });
}

function itemOf({ variantId, productId }: TotalsLine): FactItem | null {
  return variantId === null || productId === null ? null : { variantId, productId };
}

function rejectUnknownChoices({ choices }: Sale, steps: readonly AnyStep[]): void {
  for (const [name, choice] of Object.entries(choices)) {
    const schema = steps.find((step) => step.name === name)?.choice;
    const error = schema ? faults(schema, choice) : 'there is nothing to choose';
    if (error !== null) throw new Error(`the choice of ${name}: ${error}`);
  }
}

interface PricingData {
  variants: ReadonlyMap<string, VariantInfo>;
  /** Null if stock is not checked. */
  availabilities: ReadonlyMap<string, Availability> | null;
  /** By line id. */
  prices: ReadonlyMap<string, ResolvedPrice | null>;
}

/** Prices the lines. A line that would take the subtotal beyond `largestAmount` is unpriced. */
function priceLines({ lines }: Sale, data: PricingData): (PricedLine | PricedCustomLine)[] {
  const needed = quantitiesOf(lines);
  const short = shortVariants(needed, data);
  let room = largestAmount;
  return lines.map((line) => {
    const { quantity, properties } = line;
    const { unitPrice, compareAt = null, lowestPrior = null, source = null } = priceOf(line, data);
    // An inexact product is far beyond the remaining room as well.
    const total = unitPrice === null || unitPrice * quantity > room ? null : unitPrice * quantity;
    room -= total ?? 0;
    const prices = { unitPrice, compareAt, lowestPrior, priceSource: source, total };
    const priced = { id: line.id, quantity, properties, ...prices };
    const unpriced: Issue[] = total === null ? ['unpriced'] : [];
    if (line.variantId === null) {
      const { title, taxCategory, weight } = line;
      return { ...priced, variantId: null, variant: null, title, taxCategory, weight, issues: unpriced };
    }
    const variant = variantOf(line, data);
    const issues: Issue[] = canBeSold(line, variant) ? unpriced : ['unavailable'];
    if (!issues.includes('unavailable') && short.has(variant.id)) issues.push('insufficient_stock');
    // Staff may agree on any quantity, as on a price.
    const isFree = line.unitPrice !== undefined || issues.includes('unavailable');
    if (!isFree && !allowsQuantity(variant, needed.get(variant.id) as number)) issues.push('quantity_limit');
    // What a product that cannot be seen is called by now may be confidential.
    const known = issues.includes('unavailable') && line.addedTitle ? line.addedTitle : variant.productTitle;
    return { ...priced, variantId: variant.id, variant: { ...variant, productTitle: known }, issues };
  });
}

function variantOf({ variantId }: VariantLine, { variants }: PricingData): VariantInfo {
  const variant = variants.get(variantId);
  if (!variant) throw new Error(`a sale has the unknown variant ${variantId}`);
  return variant;
}

function priceOf(line: SaleLine, data: PricingData): { unitPrice: number | null } & Partial<ResolvedPrice> {
  if (line.variantId === null || line.unitPrice !== undefined) return { unitPrice: agreedPrice(line) };
  if (!canBeSold(line, variantOf(line, data))) return { unitPrice: null };
  const price = data.prices.get(line.id);
  return price ? { ...price, unitPrice: price.amount } : { unitPrice: null };
}

/** @throws Error for an invalid price */
function agreedPrice({ id, unitPrice = 0 }: SaleLine): number {
  if (Number.isSafeInteger(unitPrice) && unitPrice >= 0) return unitPrice;
  throw new Error(`the line ${id} of a sale has the price ${unitPrice}`);
}

function canBeSold({ unitPrice }: VariantLine, variant: VariantInfo): boolean {
  return unitPrice !== undefined || isForSale(variant);
}

/** Variants with less stock than all lines together need. A variant without a stock item has none. */
function shortVariants(needed: ReadonlyMap<string, number>, { availabilities }: PricingData): Set<string> {
  const isShort = ([variantId, quantity]: [string, number]) => {
    const { limit } = availabilities?.get(variantId) ?? { limit: 0 };
    return limit !== null && limit < quantity;
  };
  return new Set(availabilities ? [...needed].filter(isShort).map(([variantId]) => variantId) : []);
}

function countedLine(line: PricedLine | PricedCustomLine): TotalsLine[] {
  const { id, quantity, properties, unitPrice, total } = line;
  if (unitPrice === null || total === null) return [];
  const counted = { id, quantity, properties, unitPrice, total, discountedTotal: total };
  if (line.variant === null) {
    const { taxCategory, weight } = line;
    return [{ ...counted, variantId: null, productId: null, taxCategory, shippingProfile: null, weight }];
  }
  const { productId, taxCategory, shippingProfile, weight, requiresShipping } = line.variant;
  return [{ ...counted, variantId: line.variantId, productId, taxCategory, shippingProfile, weight, requiresShipping }];
}

function issuesOf(
  sale: Sale,
  { region, shortfall, rules }: Pick<PricedSale, 'region' | 'shortfall'> & { rules: StoreRules },
): CartIssue[] {
  return [
    ...(isServed(sale, region) ? [] : ['country_not_served' as const]),
    ...(shortfall ? ['minimum_order' as const] : []),
    ...(rules.checkPostalCodes && explainPostalCode(sale) !== null ? ['postal_code_invalid' as const] : []),
  ];
}

/** A region sells only to its countries. Without a shipping address there is nothing to check. */
function isServed({ shippingAddress }: Sale, region: RegionRow | null): boolean {
  if (!region || !shippingAddress) return true;
  const { country } = shippingAddress;
  return country !== null && region.countries.includes(country);
}
