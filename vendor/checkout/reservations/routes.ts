/**
 * Reserving the stock of a cart.
 */
import { insufficientStock } from '@carton/inventory';
import { route } from '@carton/runtime';
import { cartEmpty, reservationOff, unpaidUnitsLimit } from '../problems.ts';
import { CheckoutReservation } from '../schemas.ts';
import { reserveCheckout } from './service.ts';

const tag = 'Checkout';

export const reserveCheckoutStock = route(
  {
    method: 'post',
    path: '/checkout/reservation',
    beyond: true,
    operationId: 'reserveCheckoutStock',
    tag,
    summary: 'Reserve the stock of the cart during checkout',
    description:
      'Available if the store enables `reserveAtCheckout`. A repeated request reserves the current contents and extends the reservation.',
    access: 'session',
    rateLimit: 'checkout',
    status: 200,
    response: CheckoutReservation,
    problems: [cartEmpty, insufficientStock, reservationOff, unpaidUnitsLimit],
  },
  ({ db, session, client }) => reserveCheckout(db, session, client),
);
