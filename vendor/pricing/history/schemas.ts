/**
 * Schemas of changes of prices.
 */
import {
  ActedBy,
  Amount,
  Currency,
  DateTime,
  nullable,
  object,
  pageOf,
  pageQuery,
  type Static,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { CompareAt, RegionId } from '../schemas.ts';

export const PriceChange = object(
  {
    id: Uuid,
    currency: Currency,
    regionId: RegionId,
    amount: nullable(withOptions(Amount, { description: 'Null if the price was removed' })),
    compareAt: CompareAt,
    actor: nullable(ActedBy),
    createdAt: withOptions(DateTime, { description: 'The price applies from this time on, until the next change' }),
  },
  { $id: 'PriceChange' },
);
export type PriceChange = Static<typeof PriceChange>;
export const PriceChangePage = pageOf(PriceChange, 'PriceChangePage');
export const PriceChangeQuery = pageQuery();
export type PriceChangeQuery = Static<typeof PriceChangeQuery>;
