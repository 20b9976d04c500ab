/**
 * The lowest price of each product (`product_prices`), by which shoppers filter and sort products: of its variants, without
 * deleted ones, as a shopper without an account sees them. A variant's price in a region is that of the region, or else
 * that of the currency. A region without prices of its own has no rows, since its prices are those of the currency.
 *
 * All functions are called while `lockPrices` is held.
 */
import { findSiblings } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { findPrices, lockPrices, type PriceRow } from '../store.ts';

/** Takes the place of the region in the price of a currency. */
export const noRegion = '00000000-0000-0000-0000-000000000000';

interface PricedRegion {
  regionId: string;
  currency: string;
}

interface LowestPrice {
  productId: string;
  currency: string;
  regionId: string;
  amount: number;
}

/** The regions with prices of their own: goes from each to the next one in the index, however many prices it has. */
export function findPricedRegions(tx: TenantDatabase): Promise<PricedRegion[]> {
  return tx.query<PricedRegion>(
    `with recursive regions as (
       (select region_id, currency from variant_prices
         where tenant_id = $1 and region_id is not null order by region_id limit 1)
       union all
       select following.region_id, following.currency
         from regions
        cross join lateral (
          select region_id, currency from variant_prices
           where tenant_id = $1 and region_id > regions.region_id order by region_id limit 1) following
     )
     select region_id, currency from regions`,
  );
}

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
  const stored = await tx.query<LowestPrice>(
    'select product_id, currency, region_id, amount from product_prices where tenant_id = $1 and product_id = any($2::uuid[])',
    [productIds],
  );
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

async function removeLowest(tx: TenantDatabase, prices: readonly LowestPrice[]): Promise<void> {
  if (prices.length === 0) return;
  await tx.query(
    `delete from product_prices
      where tenant_id = $1 and product_id = any($2::uuid[])
        and (product_id, currency, region_id) in (select * from unnest($2::uuid[], $3::text[], $4::uuid[]))`,
    columnsOf(prices).slice(0, 3),
  );
}

async function putLowest(tx: TenantDatabase, prices: readonly LowestPrice[]): Promise<void> {
  if (prices.length === 0) return;
  await tx.query(
    `insert into product_prices (tenant_id, product_id, currency, region_id, amount)
     select $1, * from unnest($2::uuid[], $3::text[], $4::uuid[], $5::bigint[])
         on conflict (tenant_id, product_id, currency, region_id) do update set amount = excluded.amount`,
    columnsOf(prices),
  );
}

function columnsOf(prices: readonly LowestPrice[]): unknown[][] {
  const names = ['productId', 'currency', 'regionId', 'amount'] as const;
  return names.map((name) => prices.map((price) => price[name]));
}

/** Gives a region the prices of its currency, before its own prices are taken into account. */
async function copyToRegion(tx: TenantDatabase, regionId: string, currency: string): Promise<void> {
  await tx.query(
    `insert into product_prices (tenant_id, product_id, currency, region_id, amount)
     select tenant_id, product_id, currency, $2::uuid, amount from product_prices
      where tenant_id = $1 and currency = $3 and region_id = '${noRegion}'`,
    [regionId, currency],
  );
}

async function forgetRegion(tx: TenantDatabase, regionId: string, currency: string): Promise<void> {
  await tx.query('delete from product_prices where tenant_id = $1 and currency = $3 and region_id = $2', [
    regionId,
    currency,
  ]);
}
