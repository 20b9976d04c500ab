/**
 * Fields that prices and their changes have in common.
 */
import { Amount, nullable, Uuid, withOptions } from '@carton/runtime';

export const RegionId = nullable(
  withOptions(Uuid, {
    description: 'The region of this price; null for every region of the currency without a price of its own',
  }),
);

export const CompareAt = nullable(
  withOptions(Amount, { description: 'The regular price, which shoppers see while it is above `amount`' }),
);
