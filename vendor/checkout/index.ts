/**
 * @carton/checkout: turns a cart into an order.
 */
import { definePackage } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from './events.ts';
import { createOrder, readCheckout, readOrder } from './routes/checkout.ts';
import { readCheckoutSettings, updateCheckoutSettings } from './routes/settings.ts';

export default definePackage({
  routes: [readCheckout, createOrder, readOrder, readCheckoutSettings, updateCheckoutSettings],
  events: [checkoutCompleted, checkoutFailed],
});
