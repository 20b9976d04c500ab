/**
 * @carton/checkout: turns a cart into an order.
 */
import { cartCleanUps, cartMerges, cartSessionMoves, returnableCarts } from '@carton/cart';
import { storeSettingsGroups } from '@carton/core';
import { moveOrdersOfCarts } from '@carton/order';
import { paymentAbandonHooks, paymentStartHooks } from '@carton/payment';
import { definePackage, mailGuests, personalData } from '@carton/runtime';
import { checkoutCompleted, checkoutFailed } from './events.ts';
import { findGuestOfOrder } from './guest-orders.ts';
import { forgetGuestUnits } from './guest-units.ts';
import { personalGuestUnits } from './persons.ts';
import { checkoutCleanUp, releaseMerged, releaseOnAbandon, reserveForPayment } from './reservations.ts';
import { cartsOfUnplacedOrders, returnCarts } from './returning.ts';
import {
  createOrder,
  readCheckout,
  readOrder,
  readOrderConfirmation,
  reserveCheckoutStock,
} from './routes/checkout.ts';
import { readCheckoutSettings, updateCheckoutSettings } from './routes/settings.ts';
import { checkoutSettings } from './settings.ts';

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
export { checkoutSettings } from './settings.ts';

export default definePackage({
  routes: [
    readCheckout,
    createOrder,
    reserveCheckoutStock,
    readOrder,
    readOrderConfirmation,
    readCheckoutSettings,
    updateCheckoutSettings,
  ],
  events: [checkoutCompleted, checkoutFailed],
  subscribers: [returnCarts],
  jobs: [forgetGuestUnits],
  extends: [
    storeSettingsGroups.with(checkoutSettings),
    mailGuests.with(findGuestOfOrder),
    personalData.with(personalGuestUnits),
    cartCleanUps.with(checkoutCleanUp),
    cartMerges.with(releaseMerged),
    cartSessionMoves.with(moveOrdersOfCarts),
    returnableCarts.with(cartsOfUnplacedOrders),
    paymentStartHooks.with(reserveForPayment),
    paymentAbandonHooks.with(releaseOnAbandon),
  ],
});
