/**
 * Settings of carts, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { Currency, object, Type } from '@carton/runtime';
import { largestAmount } from './totals.ts';

export const cartSettings = storeSettings('cart', {
  minimumOrder: Type.Array(
    object({
      currency: Currency,
      amount: Type.Integer({ minimum: 1, maximum: largestAmount, description: 'Minor units', examples: [2500] }),
    }),
    {
      maxItems: 200,
      default: [],
      description:
        'The least total of the goods of a cart after discounts, without shipping and without taxes that are added to ' +
        'prices, by currency; of several amounts in one currency the largest applies. A cart in another currency has none',
    },
  ),
});
