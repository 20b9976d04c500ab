/**
 * An example of a payment provider: Acme Pay, at whose page shoppers pay.
 */
import { paymentAdapters } from '@carton/payment';
import { definePackage } from '@carton/runtime';
import { acmeAdapter } from './adapter.ts';
import { acmeSettings } from './settings.ts';

export default definePackage({
  routes: [],
  extends: [paymentAdapters.with(acmeAdapter)],
  settings: acmeSettings,
});
