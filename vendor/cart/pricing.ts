/**
 * A sale with its prices: what its lines are, what they cost now, what keeps them from being ordered, and the totals.
 */
import { type Availability, availabilityOf } from '@carton/inventory';
import { type PricePlan, planPrices, type ResolvedPrice } from '@carton/pricing';
import {
  answerFacts,
  type FactItem,
  findVariants,
  isForSale,
  type RuleCondition,
  type VariantInfo,
} from '@carton/product';
import { findRegion, type RegionRow } from '@carton/region';
import { faults, type TenantDatabase } from '@carton/runtime';
import { type PriceableCart, saleOfCart } from './cart-sale.ts';
import { runTotals } from './pipeline.ts';
import type { LineProperties } from './properties.ts';
import { type CustomLine, type Sale, type SaleLine, stockSaleOf, type VariantLine } from './sale.ts';
import type { cartIssues, issues } from './schemas.ts';
import {
  type Adjustment,
  type AnyStep,
  largestAmount,
  type ShippingCharge,
  stepsOf,
  type Totals,
  type TotalsLine,
} from './totals.ts';

/** What keeps a line from being ordered. */
export type Issue = (typeof issues)[number];
/** What keeps the sale as a whole from being ordered. */
export type CartIssue = (typeof cartIssues)[number];

interface AnyPricedLine {
  id: string;
  quantity: number;
  properties: LineProperties;
  /** Minor units; null while the variant is not for sale or has no price in the currency of the sale. */
  unitPrice: number | null;
  /** What one piece costs otherwise, while a sale price beats that. */
  compareAt: number | null;
  /** Where the price came from; null for one that was agreed, and where there is none. */
  priceSource: ResolvedPrice['source'] | null;
  /** quantity × unitPrice; null when it does not count. */
  total: number | null;
  /** Why it cannot be ordered as it is; empty when it can. */
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

type PricedLineOf<L extends SaleLine> = L extends VariantLine ? PricedLine : PricedCustomLine;

export interface PricedSale<S extends Sale = Sale> {
  sale: S;
  /** The region it is sold in. */
  region: RegionRow | null;
  /** In the order of the sale's lines. */
  lines: PricedLineOf<S['lines'][number]>[];
  issues: CartIssue[];
  shipping: readonly ShippingCharge[];
  adjustments: readonly Adjustment[];
  totals: Totals;
}

type CartSale = ReturnType<typeof saleOfCart>;

export interface PricedCart<C extends PriceableCart = PriceableCart> extends PricedSale<CartSale> {
  cart: C;
}

export interface PriceOptions extends Partial<Pick<Sale, 'shippingAddress' | 'billingAddress' | 'email' | 'time'>> {
  /** False spares the look at stock, for whoever takes the stock in the same transaction and is refused there. */
  stock?: boolean;
}

/**
 * Prices a cart. A cart always has an answer: a line that cannot be ordered says why and, if it has no price, does not
 * count.
 * @param options what stands in for the cart's own, so that what is priced is what is shipped to; null is none
 */
export async function priceCart<C extends PriceableCart>(
  db: TenantDatabase,
  cart: C,
  { stock, ...standIns }: PriceOptions = {},
): Promise<PricedCart<C>> {
  const given = Object.entries(standIns).filter(([, value]) => value !== undefined);
  const sale: CartSale = { ...saleOfCart(cart), ...Object.fromEntries(given) };
  return { cart, ...(await priceSale(db, sale, { stock })) };
}

/**
 * Prices a sale: everything is read in one round trip, whatever the number of lines, sources of prices and steps of the
 * totals; and in one more what the rules of these ask about.
 * @throws Error for a variant that there is not, and for choices that no step of the box declares
 */
export async function priceSale<S extends Sale>(
  db: TenantDatabase,
  sale: S,
  { stock = true }: Pick<PriceOptions, 'stock'> = {},
): Promise<PricedSale<S>> {
  const ids = [...new Set(sale.lines.flatMap(({ variantId }) => variantId ?? []))];
  const items = priceItemsOf(sale);
  // What is reserved for the cart is there for it.
  const reserved = sale.cartId === null ? undefined : { type: 'cart', id: sale.cartId };
  refuseUnknownChoices(sale, stepsOf(db));
  // With nothing in it no step runs.
  const steps = sale.lines.length === 0 ? [] : stepsOf(db);
  return db.pipelined(async (one) => {
    const [variants, plan, availabilities, region, ...reads] = await Promise.all([
      findVariants(one, ids, sale),
      planPrices(one, items, sale),
      stock ? availabilityOf(one, ids, { reserved, sale: stockSaleOf(sale) }) : null,
      sale.regionId === null ? null : findRegion(one, sale.regionId),
      ...steps.map((step) => step.reads?.(one, sale, sale.choices[step.name])),
    ]);
    const conditions = steps.flatMap((step, position) => step.conditions?.(reads[position]) ?? []);
    const answer = await answerAll(one, plan, conditions, [...variants.values()]);
    const prices = plan.resolve(answer, (variantId) => variants.get(variantId)?.productId);
    const known = { variants, availabilities, prices: new Map(items.map((item, at) => [item.id, prices[at] ?? null])) };
    const lines = priceLines(sale, known);
    const ready = steps.map(({ name, adjust }, position) => ({
      name,
      adjust: (draft: Parameters<typeof adjust>[0]) =>
        adjust(draft, reads[position], {
          holds: (condition, line) => answer.holds(condition, line ? itemOf(line) : null),
        }),
    }));
    const { shipping, adjustments, totals } = runTotals({ sale, region }, lines.flatMap(countedLine), ready);
    return { sale, region, lines: lines as never, issues: issuesOf(sale, region), shipping, adjustments, totals };
  });
}

/** Lines that have no agreed price, with the pieces of each variant in the whole sale. */
function priceItemsOf({ lines }: Sale) {
  const pieces = new Map<string, number>();
  for (const { variantId, quantity } of lines) {
    if (variantId !== null) pieces.set(variantId, (pieces.get(variantId) ?? 0) + quantity);
  }
  return lines.flatMap(({ id, variantId, unitPrice, properties }: SaleLine & { unitPrice?: number }) =>
    variantId === null || unitPrice !== undefined
      ? []
      : [{ id, variantId, quantity: pieces.get(variantId) as number, properties }],
  );
}

/** The facts that the rules of prices and of steps ask about, read together. */
function answerAll(
  db: TenantDatabase,
  { conditions, shopper }: PricePlan,
  ofSteps: readonly RuleCondition[],
  variants: readonly VariantInfo[],
) {
  const items = variants.map(({ id, productId }) => ({ variantId: id, productId }));
  return answerFacts(db, [...conditions, ...ofSteps], { items, shopper });
}

function itemOf({ variantId, productId }: TotalsLine): FactItem | null {
  return variantId === null || productId === null ? null : { variantId, productId };
}

function refuseUnknownChoices({ choices }: Sale, steps: readonly AnyStep[]): void {
  for (const [name, choice] of Object.entries(choices)) {
    const schema = steps.find((step) => step.name === name)?.choice;
    const wrong = schema ? faults(schema, choice) : 'there is nothing to choose';
    if (wrong !== null) throw new Error(`the choice of ${name}: ${wrong}`);
  }
}

interface Known {
  variants: ReadonlyMap<string, VariantInfo>;
  /** Null when nobody looks at stock. */
  availabilities: ReadonlyMap<string, Availability> | null;
  /** By the id of the line. */
  prices: ReadonlyMap<string, ResolvedPrice | null>;
}

/** Lines with their prices, as long as there is room for them in an exact sum. */
function priceLines({ lines }: Sale, known: Known): (PricedLine | PricedCustomLine)[] {
  const short = shortVariants(lines, known);
  let room = largestAmount;
  return lines.map((line) => {
    const { quantity, properties } = line;
    const { unitPrice, compareAt = null, source = null } = priceOf(line, known);
    // The product itself may be beyond what is exact, and is then far beyond the room too.
    const total = unitPrice === null || unitPrice * quantity > room ? null : unitPrice * quantity;
    room -= total ?? 0;
    const priced = { id: line.id, quantity, properties, unitPrice, compareAt, priceSource: source, total };
    const unpriced: Issue[] = total === null ? ['unpriced'] : [];
    if (line.variantId === null) {
      const { title, taxCategory, weight } = line;
      return { ...priced, variantId: null, variant: null, title, taxCategory, weight, issues: unpriced };
    }
    const variant = variantOf(line, known);
    const issues: Issue[] = canBeSold(line, variant) ? unpriced : ['unavailable'];
    if (!issues.includes('unavailable') && short.has(variant.id)) issues.push('insufficient_stock');
    return { ...priced, variantId: variant.id, variant, issues };
  });
}

function variantOf({ variantId }: VariantLine, { variants }: Known): VariantInfo {
  const variant = variants.get(variantId);
  if (!variant) throw new Error(`a sale holds the variant ${variantId}, which there is not`);
  return variant;
}

function priceOf(
  line: SaleLine,
  known: Known,
): { unitPrice: number | null; compareAt?: number | null; source?: ResolvedPrice['source'] } {
  if (line.variantId === null || line.unitPrice !== undefined) return { unitPrice: agreedPrice(line) };
  if (!canBeSold(line, variantOf(line, known))) return { unitPrice: null };
  const price = known.prices.get(line.id);
  return price ? { ...price, unitPrice: price.amount } : { unitPrice: null };
}

/** @throws Error for a price that is no amount */
function agreedPrice({ id, unitPrice = 0 }: SaleLine): number {
  if (Number.isSafeInteger(unitPrice) && unitPrice >= 0) return unitPrice;
  throw new Error(`the line ${id} of a sale has the price ${unitPrice}`);
}

function canBeSold({ unitPrice }: VariantLine, variant: VariantInfo): boolean {
  return unitPrice !== undefined || isForSale(variant);
}

/** Variants of which there are fewer than all lines together ask for; what stock knows nothing of is not there. */
function shortVariants(lines: readonly SaleLine[], { availabilities }: Known): Set<string> {
  const wanted = new Map<string, number>();
  for (const { variantId, quantity } of lines) {
    if (variantId !== null) wanted.set(variantId, (wanted.get(variantId) ?? 0) + quantity);
  }
  const isShort = ([variantId, quantity]: [string, number]) => {
    const { limit } = availabilities?.get(variantId) ?? { limit: 0 };
    return limit !== null && limit < quantity;
  };
  return new Set(availabilities ? [...wanted].filter(isShort).map(([variantId]) => variantId) : []);
}

function countedLine(line: PricedLine | PricedCustomLine): TotalsLine[] {
  const { id, quantity, properties, unitPrice, total } = line;
  if (unitPrice === null || total === null) return [];
  const counted = { id, quantity, properties, unitPrice, total, discountedTotal: total };
  if (line.variant === null) {
    const { taxCategory, weight } = line;
    return [{ ...counted, variantId: null, productId: null, taxCategory, weight }];
  }
  const { productId, weight } = line.variant;
  return [{ ...counted, variantId: line.variantId, productId, taxCategory: null, weight }];
}

/** A region sells to its countries and to no others; what is not shipped anywhere yet is held against none. */
function issuesOf({ shippingAddress }: Sale, region: RegionRow | null): CartIssue[] {
  if (!region || !shippingAddress) return [];
  const { country } = shippingAddress;
  return country !== null && region.countries.includes(country) ? [] : ['country_not_served'];
}
