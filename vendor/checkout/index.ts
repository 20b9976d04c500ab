/**
 * @carton/checkout: turns a cart into an order.
 */
import { cartCleanUps, cartMerges, cartSessionMoves, returnableCarts } from '@carton/cart';
import { storeSettingsGroups } from '@carton/core';
import { moveOrdersOfCarts } from '@carton/order';
import { paymentAbandonHooks, paymentStartHooks } from '@carton/payment';
import { definePackage, mailGuests, personalData } from '@carton/runtime';
import { readOrderConfirmation } from './confirmation/routes.ts';
import { checkoutCompleted, checkoutFailed } from './events.ts';
import { findGuestOfOrder } from './guests/orders.ts';
import { personalGuestUnits } from './guests/persons.ts';
import { forgetGuestUnits } from './guests/service.ts';
import { cartsOfUnplacedOrders, returnCarts } from './ordering/returning.ts';
import { createOrder, readOrder } from './ordering/routes.ts';
import { readCheckout } from './preview/routes.ts';
import { checkoutCleanUp, releaseMerged, releaseOnAbandon, reserveForPayment } from './reservations/hooks.ts';
import { reserveCheckoutStock } from './reservations/routes.ts';
import { readCheckoutSettings, updateCheckoutSettings } from './settings/routes.ts';
import { checkoutSettings } from './settings.ts';

export { placingProblemsIn } from './placing/requirements.ts';
export { type Prepared, placeSale, type SaleToPlace } from './placing/service.ts';
export {
  AllSent,
  type DraftToWrite,
  orderPlacing,
  type Placing,
  type PlacingStep,
  placingOrder,
  type Requirement,
} from './steps.ts';

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
