/**
 * Schemas of prices.
 */
import { Amount, Currency, DateTime, nullable, object, type Static, Type, Uuid, withOptions } from '@carton/runtime';
import { CompareAt, RegionId } from '../schemas.ts';

const Cost = nullable(
  withOptions(Amount, { description: 'What the unit costs the store, in this currency; shown to staff only' }),
);

export const VariantPrice = object(
  {
    variantId: Uuid,
    currency: Currency,
    regionId: RegionId,
    amount: Amount,
    compareAt: CompareAt,
    cost: Cost,
    lowestPrior: nullable(
      withOptions(Amount, {
        description:
          'While `compareAt` is above `amount`: the lowest price of the 30 days before this amount; null if there was none',
      }),
    ),
    updatedAt: DateTime,
  },
  { $id: 'VariantPrice' },
);
export type VariantPrice = Static<typeof VariantPrice>;
export const VariantPriceList = object({ items: Type.Array(VariantPrice) }, { $id: 'VariantPriceList' });

const setPrice = {
  currency: Currency,
  regionId: Type.Optional(RegionId),
  amount: Amount,
  compareAt: Type.Optional(CompareAt),
  cost: Type.Optional(Cost),
};

export const ReplaceVariantPrices = object(
  {
    prices: Type.Array(object(setPrice, { $id: 'SetVariantPrice' }), {
      maxItems: 500,
      description:
        'All prices of the variant; any other price is removed, and so are `compareAt` and `cost` that are omitted',
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
      description:
        'Prices to add or change; other prices stay as they are, like `compareAt` and `cost` that are omitted',
    }),
  },
  { $id: 'SetPrices' },
);
export type SetPrices = Static<typeof SetPrices>;
/** A price to be set. */
export type PriceLine = SetPrices['prices'][number];
