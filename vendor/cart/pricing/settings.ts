/**
 * Settings of carts, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { Currency, object, Type } from '@carton/runtime';
import { largestAmount } from './totals.ts';

const settings = {
  checkPostalCodes: Type.Boolean({
    default: false,
    description:
      'Whether a postal code that the country of the address, or its province in Canada, Spain and the United States, does not have is an issue of the cart (`postal_code_invalid`). If it was not set, on in new stores. The order is refused only if the store requires the postal code (`checkoutRequires`)',
  }),
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
};

/** Stores of before the third version of the defaults check postal codes once they switch it on. */
export const cartSettings = storeSettings('cart', settings, (defaultVersion) =>
  defaultVersion >= 3 ? { checkPostalCodes: true } : {},
);
