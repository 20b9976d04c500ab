/**
 * Where other packages join in: the prices of variants, and what comes into being with a variant.
 */
import { findStore } from '@carton/core';
import { extensionPoint, type MoneyValue, type TenantDatabase } from '@carton/runtime';
import type { ProductViewer } from './viewer.ts';

/**
 * Which price is asked for. With neither currency nor region, the store's default currency is filled in before a pricer
 * is asked.
 */
export interface WantedPrice {
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
export interface Wanted extends WantedPrice {
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
  wanted: WantedPrice,
) => Promise<Map<string, VariantPrice>>;

/** Who knows prices. Where several answer for one variant, the last (in dependency order) wins. */
export const variantPricers = extensionPoint<VariantPricer>('product.variant-prices');

/** Called in the transaction that makes variants, once with all of them. */
export type VariantCreatedListener = (db: TenantDatabase, variantIds: string[]) => Promise<void>;
export const variantCreatedListeners = extensionPoint<VariantCreatedListener>('product.variant-created');

/** What to ask pricers for: as wanted, else in the store's default currency. */
export async function completeWantedPrice(db: TenantDatabase, wanted: WantedPrice): Promise<WantedPrice> {
  const { currency, regionId, quantity, memberId } = wanted;
  if (currency !== undefined || regionId !== undefined || variantPricers.of(db).length === 0) {
    return { currency, regionId, quantity, memberId };
  }
  return { currency: (await findStore(db)).defaultCurrency, quantity, memberId };
}

const none: ReadonlyMap<string, VariantPrice> = new Map();

/** Prices of variants by variant id, of all pricers together. `wanted` is what completeWantedPrice answered. */
export async function priceVariants(
  db: TenantDatabase,
  variantIds: readonly string[],
  wanted: WantedPrice,
): Promise<ReadonlyMap<string, VariantPrice>> {
  const pricers = variantPricers.of(db);
  if (pricers.length === 0 || variantIds.length === 0) return none;
  const answers = await Promise.all(pricers.map((price) => price(db, variantIds, wanted)));
  return answers.length === 1 ? (answers[0] as Map<string, VariantPrice>) : new Map(answers.flatMap((map) => [...map]));
}

/** Tells the listeners of new variants. */
export async function announceVariants(db: TenantDatabase, variantIds: string[]): Promise<void> {
  for (const listener of variantCreatedListeners.of(db)) await listener(db, variantIds);
}
