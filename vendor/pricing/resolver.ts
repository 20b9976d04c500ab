/**
 * The one place that says what something costs: for the shop's pages, carts, orders and search alike.
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
import {
  type PriceContext,
  type PriceItem,
  priceOrder,
  priceSource,
  priceSources,
  type SourcePrice,
} from './sources.ts';
import { pricesOf } from './store.ts';

/** The price of one piece, in minor units of the context's currency. */
export interface ResolvedPrice {
  amount: number;
  /** Where it came from: a source's name and which of its own; `{ type: 'base', id: null }` for the variant's own. */
  source: { type: string; id: string | null };
  /** What it costs otherwise, when that is more; null when this is no sale price. */
  compareAt: number | null;
}

/** The prices that pricing keeps itself. */
const base = priceSource<Map<string, number>>({
  name: 'base',
  order: priceOrder.base,
  reads: (db, items, { currency, regionId }) => pricesOf(db, distinctVariantIds(items), { currency, regionId }),
  price({ variantId }, prices) {
    const amount = prices.get(variantId);
    return amount === undefined ? null : { amount, id: null };
  },
});

function distinctVariantIds(items: readonly PriceItem[]): string[] {
  return [...new Set(items.map(({ variantId }) => variantId))];
}

/** Prices of which everything is read but the facts that their rules ask about. */
export interface PricePlan {
  /** For `answerFacts`, together with what other rules of the sale ask. */
  readonly conditions: readonly RuleCondition[];
  readonly shopper: FactShopper;
  /**
   * The prices in the order of the items; null where no source has one.
   * @param productOf the product of a variant; an item without one is of no product to any rule
   * @throws Error naming a source whose price is no amount
   */
  resolve(facts: FactResults, productOf: (variantId: string) => string | undefined): (ResolvedPrice | null)[];
}

/** Reads what all sources have for these items: one round trip, whatever their number and that of the items. */
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
  const basePrices = reads[sources.indexOf(base)] as Map<string, number>;
  return {
    conditions,
    shopper,
    resolve: (facts, productOf) =>
      items.map((item) => {
        const productId = productOf(item.variantId);
        const about = productId === undefined ? null : { variantId: item.variantId, productId };
        const priced = { context, shopper, holds: (condition: RuleCondition) => facts.holds(condition, about) };
        for (const [position, source] of sources.entries()) {
          const found = source.price(item, reads[position], priced);
          if (found) return resolved(source.name, found, basePrices.get(item.variantId));
        }
        return null;
      }),
  };
}

function resolved(type: string, { amount, id, compareAt }: SourcePrice, basePrice = 0): ResolvedPrice {
  const otherwise = compareAt === undefined ? basePrice : (compareAt ?? 0);
  for (const each of [amount, otherwise]) {
    if (!Number.isSafeInteger(each) || each < 0) throw new Error(`the price source ${type} answers ${each}`);
  }
  return { amount, source: { type, id }, compareAt: otherwise > amount ? otherwise : null };
}

/**
 * What items cost, in their order; null where there is no price. One round trip, and another where rules ask for facts.
 */
export function resolvePrices(
  db: TenantDatabase,
  items: readonly PriceItem[],
  context: PriceContext,
): Promise<(ResolvedPrice | null)[]> {
  return db.pipelined(async (one) => {
    // Products matter to rules alone, and without another source there are none.
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
