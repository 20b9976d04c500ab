/**
 * Schemas of prices.
 */
import { Amount, Currency, DateTime, nullable, object, type Static, Type, Uuid, withOptions } from '@carton/runtime';

const RegionId = nullable(
  withOptions(Uuid, {
    description: 'The region of this price; null for every region of the currency without a price of its own',
  }),
);

export const VariantPrice = object(
  { variantId: Uuid, currency: Currency, regionId: RegionId, amount: Amount, updatedAt: DateTime },
  { $id: 'VariantPrice' },
);
export type VariantPrice = Static<typeof VariantPrice>;
export const VariantPriceList = object({ items: Type.Array(VariantPrice) }, { $id: 'VariantPriceList' });

const setPrice = { currency: Currency, regionId: Type.Optional(RegionId), amount: Amount };

export const ReplaceVariantPrices = object(
  {
    prices: Type.Array(object(setPrice, { $id: 'SetVariantPrice' }), {
      maxItems: 500,
      description: 'All prices of the variant; any other price is removed',
    }),
  },
  { $id: 'ReplaceVariantPrices' },
);
export type ReplaceVariantPrices = Static<typeof ReplaceVariantPrices>;

export const SetPrices = object(
  {
    prices: Type.Array(object({ variantId: Uuid, ...setPrice }, { $id: 'SetPrice' }), {
      minItems: 1,
      maxItems: 500,
      description: 'Prices to add or change; other prices stay as they are',
    }),
  },
  { $id: 'SetPrices' },
);
export type SetPrices = Static<typeof SetPrices>;
/** A price to be set. */
export type PriceLine = SetPrices['prices'][number];
