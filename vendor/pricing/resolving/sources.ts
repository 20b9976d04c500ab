/**
 * Price sources: pricing's own base prices, and those of other packages that override them (price lists, quotes,
 * subscriptions).
 */
import type { FactShopper, RuleCondition } from '@carton/product';
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** For whom, where and when items are priced. */
export interface PriceContext {
  /** ISO 4217; every price is in it. */
  readonly currency: string;
  /** The region whose currency it is, if any. */
  readonly regionId: string | null;
  readonly memberId: string | null;
  readonly channelId: string | null;
  readonly time: Date;
}

/** An item to be priced. */
export interface PriceItem {
  readonly variantId: string;
  /** Total quantity of the variant in the sale, for quantity breaks. */
  readonly quantity: number;
  /** Properties of the line, such as an engraving. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What a source may use besides what it has read. */
export interface PricingInput {
  readonly context: PriceContext;
  /** Includes the member's groups. */
  readonly shopper: FactShopper;
  /** Whether a condition returned by `conditions` holds for this item. */
  holds(condition: RuleCondition): boolean;
}

export interface SourcePrice {
  /** Of one unit, in minor units of the context's currency. */
  readonly amount: number;
  /** Identifies the price within its source, such as a price list's id. */
  readonly id: string | null;
  /** The regular price. Default: the regular price of the base price, or the base price itself, if it is higher. */
  readonly compareAt?: number | null;
  /**
   * The lowest price of the 30 days before this price began, as the source knows it, shown beside `compareAt`.
   * Default: none is shown.
   */
  readonly lowestPrior?: number | null;
}

/**
 * A source of prices. Its reads are pipelined with those of all other sources, before the shopper's groups are known;
 * it decides afterwards, from what it has read.
 */
export interface PriceSource<Read = unknown> {
  /** Shown as the origin of a price: `price_list`. */
  readonly name: string;
  /** See priceOrder. */
  readonly order: number;
  reads(db: TenantDatabase, items: readonly PriceItem[], context: PriceContext): Promise<Read>;
  /** The conditions that `price` will ask about. */
  conditions?(read: Read): readonly RuleCondition[];
  /** The unit price, null if the source has none. Must be pure. */
  price(item: PriceItem, read: Read, input: PricingInput): SourcePrice | null;
}

/**
 * The precedence of sources: the first one with a price for an item wins, even if another is lower. Prices agreed with
 * one customer come before offers to many, and those before the base price. A source with several prices for an item
 * picks one itself.
 */
export const priceOrder = { quote: 100, subscription: 200, priceList: 300, base: 1000 } as const;

// biome-ignore lint/suspicious/noExplicitAny: each source reads something of its own.
type AnySource = PriceSource<any>;

/** Price sources of other packages. */
export const priceSources = extensionPoint<AnySource>('pricing.sources');

/**
 * Declares a source, with the type of what it reads.
 * @example definePackage({ extends: [priceSources.with(priceSource({
 *            name: 'price_list', order: priceOrder.priceList,
 *            reads: (db, items, { currency }) => entriesOf(db, items.map(({ variantId }) => variantId), currency),
 *            price: ({ variantId, quantity }, entries) => lowest(entries.get(variantId), quantity) }))] });
 */
export function priceSource<Read>(source: PriceSource<Read>): PriceSource<Read> {
  return source;
}
