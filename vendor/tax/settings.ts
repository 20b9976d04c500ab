/**
 * Settings of taxes, stored with those of the store.
 */
import { storeSettings } from '@carton/core';
import { TaxCategoryCode } from '@carton/product';
import { nullable, oneOf, roundings, Type, withOptions } from '@carton/runtime';
import { providerNames } from './providers/settings.ts';
import { roundPer } from './sales/compute.ts';

const settings = {
  roundPer: oneOf(roundPer, {
    default: 'line',
    description:
      'Whether taxes are rounded for each unit and shipping charge, for each line and shipping charge, or once for the total and then divided among them',
  }),
  rounding: oneOf(roundings, {
    default: 'half_up',
    description:
      'How the fraction of a minor unit is rounded in taxes by the rates of the store: half a unit up or down, or any fraction down',
  }),
  provider: nullable(
    Type.String({
      default: null,
      description:
        'The service that computes the taxes; the box must be connected to it. Without one, the tax rates of the store apply',
    }),
  ),
  reverseCharge: Type.Boolean({
    default: false,
    description:
      'Whether businesses of other EU countries with a valid tax number buy without tax, in a store in the EU: the box must be connected to a service that proves the number',
  }),
  fallback: oneOf(['rates', 'reject'], {
    default: 'rates',
    description:
      'What applies if the provider gives no answer: the tax rates of the store, or no order is placed until it does',
  }),
  shippingCategory: withOptions(nullable(TaxCategoryCode), {
    default: null,
    description: 'Code of the tax category of shipping. Without one, shipping is taxed in proportion to the goods',
  }),
};

/** `provider` is the name of one that a package of the box contributes. */
export const taxSettings = storeSettings('tax', settings, undefined, (box) => ({ provider: providerNames(box) }));
