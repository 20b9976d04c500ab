/**
 * Where prices come from: the prices of pricing itself, and what other packages know that beats them (a price list, a
 * quote, a subscription).
 */
import type { FactShopper, RuleCondition } from '@carton/product';
import { extensionPoint, type TenantDatabase } from '@carton/runtime';

/** For whom, where and when something is priced. */
export interface PriceContext {
  /** ISO 4217; every price is in it. */
  readonly currency: string;
  /** Whose currency that is, when it is a region's. */
  readonly regionId: string | null;
  readonly memberId: string | null;
  readonly channelId: string | null;
  readonly time: Date;
}

/** What is to be priced. */
export interface PriceItem {
  readonly variantId: string;
  /** Pieces of the variant in the whole sale, for quantity breaks. */
  readonly quantity: number;
  /** Of the line: an engraving, a plan. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What a source may look at besides what it has read. */
export interface PricingInput {
  readonly context: PriceContext;
  /** With the groups of the member. */
  readonly shopper: FactShopper;
  /** Whether a condition that `conditions` named holds for this item. */
  holds(condition: RuleCondition): boolean;
}

export interface SourcePrice {
  /** Of one piece, in minor units of the context's currency. */
  readonly amount: number;
  /** Which of its own the source took it from: a price list's id. */
  readonly id: string | null;
  /** What it costs otherwise; unless told, the base price where that is higher. */
  readonly compareAt?: number | null;
}

/**
 * A source of prices. Its reads travel with those of all others, before it is known who belongs to which group; it
 * decides afterwards, from what it has read.
 */
export interface PriceSource<Read = unknown> {
  /** As the answer says where a price came from: `price_list`. */
  readonly name: string;
  /** See priceOrder. */
  readonly order: number;
  reads(db: TenantDatabase, items: readonly PriceItem[], context: PriceContext): Promise<Read>;
  /** The conditions that its rules will ask about. */
  conditions?(read: Read): readonly RuleCondition[];
  /** The price of one piece, null where it has none. Pure. */
  price(item: PriceItem, read: Read, priced: PricingInput): SourcePrice | null;
}

/**
 * The precedence of sources: the first that has a price for an item gives it, whether or not another would be lower.
 * What was agreed with one customer comes before what is offered to many, and that before what anybody pays. Of several
 * prices of its own a source picks one itself.
 */
export const priceOrder = { quote: 100, subscription: 200, priceList: 300, base: 1000 } as const;

// biome-ignore lint/suspicious/noExplicitAny: each source reads something of its own.
type AnySource = PriceSource<any>;

/** Where packages contribute sources of prices. */
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
