/**
 * The lowest price of each product (`product_prices`), by which shoppers filter and sort products: of its variants, without
 * deleted ones, as a shopper without an account sees them. A variant's price in a region is that of the region, or else
 * that of the currency. A region without prices of its own has no rows, since its prices are those of the currency.
 *
 * All functions are called while `lockPrices` is held.
 */
import { findSiblings } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { findPricedRegions, findPrices, lockPrices, type PricedRegion, type PriceRow } from '../store.ts';
import {
  copyToRegion,
  findLowest,
  forgetRegion,
  type LowestPrice,
  noRegion,
  putLowest,
  removeLowest,
} from './store.ts';

/**
 * Rewrites the lowest prices of the products of these variants, after their prices changed.
 * @param before the regions that had prices of their own
 */
export async function rewriteLowest(
  tx: TenantDatabase,
  variantIds: readonly string[],
  before: readonly PricedRegion[],
): Promise<void> {
  const regions = await findPricedRegions(tx);
  const has = (list: readonly PricedRegion[], id: string) => list.some(({ regionId }) => regionId === id);
  for (const { regionId, currency } of regions) if (!has(before, regionId)) await copyToRegion(tx, regionId, currency);
  for (const { regionId, currency } of before) if (!has(regions, regionId)) await forgetRegion(tx, regionId, currency);
  await rewrite(tx, variantIds, regions);
}

/** Rewrites the lowest prices of the products of deleted variants. */
export async function forgetVariants(tx: TenantDatabase, variantIds: readonly string[]): Promise<void> {
  await lockPrices(tx);
  await rewrite(tx, variantIds, await findPricedRegions(tx));
}

async function rewrite(
  tx: TenantDatabase,
  changedIds: readonly string[],
  regions: readonly PricedRegion[],
): Promise<void> {
  const siblings = await findSiblings(tx, changedIds);
  const prices = Map.groupBy(await findPrices(tx, [...siblings.values()].flat()), ({ variantId }) => variantId);
  const lowest = [...siblings].flatMap(([productId, variantIds]) =>
    lowestOf(
      variantIds.map((id) => prices.get(id) ?? []),
      regions,
    ).map((price) => ({ productId, ...price })),
  );
  const productIds = [...siblings.keys()];
  const stored = await findLowest(tx, productIds);
  const places = new Map(lowest.map((price) => [placeOf(price), price]));
  const amounts = new Map(stored.map((price) => [placeOf(price), price.amount]));
  await removeLowest(
    tx,
    stored.filter((price) => !places.has(placeOf(price))),
  );
  await putLowest(
    tx,
    lowest.filter((price) => amounts.get(placeOf(price)) !== price.amount),
  );
}

function placeOf({ productId, currency, regionId }: Omit<LowestPrice, 'amount'>): string {
  return `${productId} ${currency} ${regionId}`;
}

/** The lowest price in each currency and in each region with prices of its own. @param variants the prices of each */
export function lowestOf(
  variants: readonly (readonly Pick<PriceRow, 'currency' | 'regionId' | 'amount'>[])[],
  regions: readonly PricedRegion[],
): Omit<LowestPrice, 'productId'>[] {
  const lowest = new Map<string, Omit<LowestPrice, 'productId'>>();
  const offer = (currency: string, regionId: string, amount: number) => {
    const key = `${currency} ${regionId}`;
    if (amount < (lowest.get(key)?.amount ?? Number.POSITIVE_INFINITY)) lowest.set(key, { currency, regionId, amount });
  };
  for (const prices of variants) {
    for (const { currency, regionId, amount } of prices) {
      offer(currency, regionId ?? noRegion, amount);
      if (regionId !== null) continue;
      for (const region of regions) {
        const isOwn = prices.some((price) => price.regionId === region.regionId);
        if (region.currency === currency && !isOwn) offer(currency, region.regionId, amount);
      }
    }
  }
  return [...lowest.values()];
}
