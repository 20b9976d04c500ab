/**
 * @carton/stripe: payments by card and taxes with Stripe, for boxes whose settings name it.
 */
import { paymentAdapters } from '@carton/payment';
import { definePackage } from '@carton/runtime';
import { taxProviders } from '@carton/tax';
import { stripeAdapter } from './payments/adapter.ts';
import { stripeSettings } from './settings.ts';
import { stripeTax } from './tax/provider.ts';

export default definePackage({
  routes: [],
  extends: [paymentAdapters.with(stripeAdapter), taxProviders.with(stripeTax)],
  settings: stripeSettings,
});
