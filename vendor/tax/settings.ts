/**
 * Settings of taxes, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { TaxCategoryCode } from '@carton/product';
import { nullable, oneOf, withOptions } from '@carton/runtime';

export const taxSettings = storeSettings('tax', {
  roundPer: oneOf(['line', 'total'], {
    default: 'line',
    description:
      'Whether taxes are rounded for each line and shipping charge, or once for the total and then divided among them',
  }),
  shippingCategory: withOptions(nullable(TaxCategoryCode), {
    default: null,
    description: 'Code of the tax category of shipping. Without one, shipping is taxed in proportion to the goods',
  }),
});
