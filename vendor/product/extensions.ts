/**
 * Where other packages join in: the prices of variants, and what comes into being with a variant.
 */
import { findStore } from '@carton/core';
import { extensionPoint, type MoneyValue, type TenantDatabase } from '@carton/runtime';
import type { ProductViewer } from './viewer.ts';
import type { WeightUnit } from './weight.ts';

/**
 * Which price is asked for. With neither currency nor region, the store's default currency is filled in before a pricer
 * is asked.
 */
export interface PriceRequest {
  currency?: string;
  regionId?: string;
  /** The price for so many pieces; for one unless told. */
  quantity?: number;
  /** The member who is signed in; nobody unless told. */
  memberId?: string | null;
}

/** What one piece of a variant costs. */
export interface VariantPrice extends MoneyValue {
  /** What it costs otherwise, in minor units, while a sale price beats that. */
  compareAt?: number | null;
}

/** What a storefront asks for: prices, and for whom. */
export interface ViewRequest extends PriceRequest {
  /** For whom products are read; left out, a stranger. */
  viewer?: ProductViewer;
}

/**
 * Answers the prices of variants by variant id, in one statement; a variant without a price is left out.
 * May throw invalid_request (400) for a region it does not know.
 */
export type VariantPricer = (
  db: TenantDatabase,
  variantIds: readonly string[],
  wanted: PriceRequest,
) => Promise<Map<string, VariantPrice>>;

/** Who knows prices. Where several answer for one variant, the last (in dependency order) wins. */
export const variantPricers = extensionPoint<VariantPricer>('product.variant-prices');

/** Called in the transaction that makes variants, once with all of them. */
export type VariantCreatedListener = (db: TenantDatabase, variantIds: string[]) => Promise<void>;
export const variantCreatedListeners = extensionPoint<VariantCreatedListener>('product.variant-created');

/** What variants are answered with besides what is their own: how it is asked for. */
export interface TermsRequest {
  price: PriceRequest;
  weightUnit: WeightUnit;
}

/** The same, as it is answered. */
export interface VariantTerms {
  /** By variant id. */
  prices: ReadonlyMap<string, VariantPrice>;
  weightUnit: WeightUnit;
}

/** What to ask pricers for: as wanted, else in the store's default currency. And in which unit weights are shown. */
export async function completePriceRequest(db: TenantDatabase, wanted: PriceRequest): Promise<TermsRequest> {
  const { currency, regionId, quantity, memberId } = wanted;
  const { defaultCurrency, weightUnit } = await findStore(db);
  const ownCurrency = regionId === undefined ? defaultCurrency : undefined;
  return { price: { currency: currency ?? ownCurrency, regionId, quantity, memberId }, weightUnit };
}

/** Terms of variants, with the prices of all pricers together. `wanted` is what completeWanted answered. */
export async function termsOf(
  db: TenantDatabase,
  variantIds: readonly string[],
  { price: wanted, weightUnit }: TermsRequest,
): Promise<VariantTerms> {
  const pricers = variantPricers.of(db);
  if (pricers.length === 0 || variantIds.length === 0) return { prices: new Map(), weightUnit };
  const answers = await Promise.all(pricers.map((price) => price(db, variantIds, wanted)));
  const [only] = answers;
  return { prices: only && answers.length === 1 ? only : new Map(answers.flatMap((map) => [...map])), weightUnit };
}

/** Tells the listeners of new variants. */
export async function notifyVariantListeners(db: TenantDatabase, variantIds: string[]): Promise<void> {
  for (const listener of variantCreatedListeners.of(db)) await listener(db, variantIds);
}
