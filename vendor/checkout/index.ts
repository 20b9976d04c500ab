/**
 * @carton/checkout: turns a cart into an order.
 */
import { definePackage } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from './events.ts';
import { createOrder, readCheckout, readOrder } from './routes/checkout.ts';
import { readCheckoutSettings, updateCheckoutSettings } from './routes/settings.ts';

export {
  type DraftToWrite,
  orderPlacing,
  type Placing,
  type PlacingStep,
  placingOrder,
  type Requirement,
} from './placing.ts';
export { placingProblemsIn } from './requirements.ts';
export { type Prepared, placeSale, type SaleToPlace } from './sale.ts';

export default definePackage({
  routes: [readCheckout, createOrder, readOrder, readCheckoutSettings, updateCheckoutSettings],
  events: [checkoutCompleted, checkoutFailed],
});
