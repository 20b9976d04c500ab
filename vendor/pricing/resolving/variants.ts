/**
 * The prices of variants in the responses of product.
 */
import type { PriceRequest, VariantPrice } from '@carton/product';
import type { TenantDatabase } from '@carton/runtime';
import { currencyOfRegion } from '../service.ts';
import { resolvePrices } from './service.ts';
import type { PriceItem } from './sources.ts';

/**
 * Prices for the pages of product, in a currency or in the currency of a region.
 * @throws invalid_request (400) for an unknown region, or one with another currency
 */
export async function priceVariants(
  db: TenantDatabase,
  variantIds: readonly string[],
  { currency: requested, regionId, regionCurrency, quantity = 1, memberId = null }: PriceRequest,
): Promise<Map<string, VariantPrice>> {
  const currency = regionId ? (regionCurrency ?? (await currencyOfRegion(db, regionId, requested))) : requested;
  if (currency === undefined || variantIds.length === 0) return new Map();
  const items = variantIds.map((variantId) => ({ variantId, quantity, properties: {} }));
  const context = { currency, regionId: regionId ?? null, memberId, channelId: null, time: new Date() };
  const prices = await resolvePrices(db, items, context);
  return new Map(
    prices.flatMap((price, position): [string, VariantPrice][] => {
      const { variantId } = items[position] as PriceItem;
      if (!price) return [];
      const { amount, compareAt, lowestPrior } = price;
      return [[variantId, { amount, currency, compareAt, lowestPrior }]];
    }),
  );
}
