/**
 * Price resolution, used by the storefront's pages, carts, orders and search alike.
 */
import {
  evaluateFacts,
  type FactResults,
  type FactShopper,
  findVariants,
  type RuleCondition,
  resolveShopper,
} from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { type BasePrice, pricesOf } from '../store.ts';
import {
  type PriceContext,
  type PriceItem,
  priceOrder,
  priceSource,
  priceSources,
  type SourcePrice,
} from './sources.ts';

/** The unit price, in minor units of the context's currency. */
export interface ResolvedPrice {
  amount: number;
  /**
   * The source's name and the id of its price, such as a price list's; `{ type: 'base', id: null }` for a base price.
   */
  source: { type: string; id: string | null };
  /** The regular price while it is higher; null when this is not a sale price. */
  compareAt: number | null;
  /** The lowest price of the 30 days before this sale price; null if unknown, or when this is not a sale price. */
  lowestPrior: number | null;
}

/** The prices stored by pricing itself. */
const base = priceSource<Map<string, BasePrice>>({
  name: 'base',
  order: priceOrder.base,
  reads: (db, items, { currency, regionId }) => pricesOf(db, distinctVariantIds(items), { currency, regionId }),
  price({ variantId }, prices) {
    const price = prices.get(variantId);
    return price ? { ...price, id: null } : null;
  },
});

function distinctVariantIds(items: readonly PriceItem[]): string[] {
  return [...new Set(items.map(({ variantId }) => variantId))];
}

/** Prices for which everything is read except the facts that their rules need. */
export interface PricePlan {
  /** Pass them to `evaluateFacts`, with the conditions of other rules of the sale. */
  readonly conditions: readonly RuleCondition[];
  readonly shopper: FactShopper;
  /**
   * The prices in the order of the items; null where no source has one.
   * @param productOf the product of a variant; without one, no rule holds for the item
   * @throws Error naming a source that returned an invalid amount
   */
  resolve(facts: FactResults, productOf: (variantId: string) => string | undefined): (ResolvedPrice | null)[];
}

/** Reads what all sources need for these items, in one round trip. */
export async function planPrices(
  db: TenantDatabase,
  items: readonly PriceItem[],
  context: PriceContext,
): Promise<PricePlan> {
  const sources = [...priceSources.of(db), base].toSorted((one, other) => one.order - other.order);
  const { memberId, regionId, channelId } = context;
  const [shopper, ...reads] = await db.pipelined((one) =>
    Promise.all([
      resolveShopper(one, { memberId, regionId, channelId }),
      ...sources.map((source) => source.reads(one, items, context)),
    ]),
  );
  const conditions = sources.flatMap((source, position) => source.conditions?.(reads[position]) ?? []);
  const basePrices = reads[sources.indexOf(base)] as Map<string, BasePrice>;
  return {
    conditions,
    shopper,
    resolve: (facts, productOf) =>
      items.map((item) => {
        const productId = productOf(item.variantId);
        const about = productId === undefined ? null : { variantId: item.variantId, productId };
        const input = { context, shopper, holds: (condition: RuleCondition) => facts.holds(condition, about) };
        for (const [position, source] of sources.entries()) {
          const found = source.price(item, reads[position], input);
          if (found) return resolved(source.name, found, basePrices.get(item.variantId));
        }
        return null;
      }),
  };
}

function resolved(type: string, found: SourcePrice, basePrice: BasePrice | undefined): ResolvedPrice {
  const { amount, id, compareAt, lowestPrior = null } = found;
  const regular = (compareAt === undefined ? (basePrice?.compareAt ?? basePrice?.amount) : compareAt) ?? 0;
  for (const value of [amount, regular, lowestPrior ?? 0]) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new Error(`the price source ${type} returned the invalid amount ${value}`);
  }
  const isSale = regular > amount;
  return {
    amount,
    source: { type, id },
    compareAt: isSale ? regular : null,
    lowestPrior: isSale ? lowestPrior : null,
  };
}

/**
 * The prices of items, in their order; null where there is none. One round trip, and a second one if rules need facts.
 */
export function resolvePrices(
  db: TenantDatabase,
  items: readonly PriceItem[],
  context: PriceContext,
): Promise<(ResolvedPrice | null)[]> {
  return db.pipelined(async (one) => {
    // Only rules need the products, and only other sources have rules.
    const hasRules = priceSources.of(db).some(({ conditions }) => conditions);
    const [plan, variants] = await Promise.all([
      planPrices(one, items, context),
      hasRules ? findVariants(one, distinctVariantIds(items)) : null,
    ]);
    const { conditions, shopper } = plan;
    const products = [...(variants?.values() ?? [])].map(({ id, productId }) => ({ variantId: id, productId }));
    const facts = await evaluateFacts(one, conditions, { items: products, shopper });
    return plan.resolve(facts, (variantId) => variants?.get(variantId)?.productId);
  });
}
