/**
 * Prices of variants for a viewer, and what they depend on.
 */
import { findStore, type Store } from '@carton/core';
import { extensionPoint, type MoneyValue, type TenantDatabase } from '@carton/runtime';
import { isOfShopper, type ProductViewer, type Shopper } from './service.ts';

export type WeightUnit = Store['weightUnit'];

/**
 * The price to look up. With neither currency nor region, the store's default currency is filled in before pricers are
 * called.
 */
export interface PriceRequest {
  currency?: string;
  regionId?: string;
  /** The currency of `regionId`, where the region has been read already. */
  regionCurrency?: string;
  /** The unit price at this quantity. Default: 1. */
  quantity?: number;
  /** The member who is logged in, if any. */
  memberId?: string | null;
}

/** The unit price of a variant. */
export interface VariantPrice extends MoneyValue {
  /** The regular price in minor units, while this is a sale price below it. */
  compareAt?: number | null;
  /** The lowest price of the 30 days before this sale price, in minor units. */
  lowestPrior?: number | null;
}

/** What a storefront route requests: prices, and for which viewer. */
export interface ViewRequest extends PriceRequest {
  /** Default: an anonymous viewer. */
  viewer?: ProductViewer;
}

/** The region and the currency in which the cart of a shopper is priced, or would be if it existed. */
export interface ShopperTerms {
  readonly regionId: string | null;
  readonly currency: string;
}

/** Returns the terms of a shopper, in one statement. Contributed by the package of carts: pages show what the cart charges. */
export type ShopperTermsSource = (db: TenantDatabase, shopper: Shopper) => Promise<ShopperTerms>;
export const shopperTerms = extensionPoint<ShopperTermsSource>('product.shopper-terms');

/**
 * Returns prices by variant id, in one statement, without variants that have none. May throw invalid_request (400) for
 * an unknown region.
 */
export type VariantPricer = (
  db: TenantDatabase,
  variantIds: readonly string[],
  request: PriceRequest,
) => Promise<Map<string, VariantPrice>>;

/** If several return a price for one variant, the last one in dependency order wins. */
export const variantPricers = extensionPoint<VariantPricer>('product.variant-prices');

/** What is shown of variants besides their own fields, as requested. */
export interface TermsRequest {
  price: PriceRequest;
  weightUnit: WeightUnit;
}

/** The same, as looked up. */
export interface VariantTerms {
  /** By variant id. */
  prices: ReadonlyMap<string, VariantPrice>;
  weightUnit: WeightUnit;
}

const termsOfViewers = new WeakMap<ProductViewer, Promise<ShopperTerms | null>>();

/** The terms of a viewer, read once. Null for a viewer without a session, and in a box without carts. */
function termsOfViewer(db: TenantDatabase, viewer: ProductViewer | undefined): Promise<ShopperTerms | null> {
  const { session } = viewer ?? {};
  const [source] = shopperTerms.of(db);
  if (!viewer || !session || !source || !isOfShopper({ session })) return Promise.resolve(null);
  const terms = termsOfViewers.get(viewer) ?? source(db, session);
  termsOfViewers.set(viewer, terms);
  return terms;
}

/**
 * Completes a request with what the shopper's cart is priced in, else with the store's default currency; a region that is
 * requested wins, and so does another currency. Looks up the unit for weights.
 */
export async function completePriceRequest(db: TenantDatabase, request: ViewRequest): Promise<TermsRequest> {
  const { currency, regionId, quantity, memberId, viewer } = request;
  const [{ defaultCurrency, weightUnit }, own] = await Promise.all([
    findStore(db),
    regionId === undefined ? termsOfViewer(db, viewer) : null,
  ]);
  const common = { quantity, memberId };
  if (own && (currency ?? own.currency) === own.currency) {
    const region = own.regionId === null ? {} : { regionId: own.regionId, regionCurrency: own.currency };
    return { price: { currency: own.currency, ...region, ...common }, weightUnit };
  }
  const ownCurrency = regionId === undefined ? defaultCurrency : undefined;
  return { price: { currency: currency ?? ownCurrency, regionId, ...common }, weightUnit };
}

/** Terms of variants, with the prices of all pricers. `request` comes from completePriceRequest. */
export async function termsOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { price: request, weightUnit }: TermsRequest,
): Promise<VariantTerms> {
  const pricers = variantPricers.of(db);
  if (pricers.length === 0 || variantIds.length === 0) return { prices: new Map(), weightUnit };
  const results = await Promise.all(pricers.map((price) => price(db, variantIds, request)));
  const [only] = results;
  return { prices: only && results.length === 1 ? only : new Map(results.flatMap((map) => [...map])), weightUnit };
}
