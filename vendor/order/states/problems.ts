/**
 * Problems of changing the states of orders.
 */
import { defineProblem } from '@carton/runtime';

export const orderAlreadyCanceled = defineProblem({
  code: 'order_already_canceled',
  status: 409,
  title: 'The order is already canceled',
});
export const orderAwaitsPayment = defineProblem({
  code: 'order_pending',
  status: 409,
  title: 'The order waits for its payment',
});
export const orderFulfillmentStarted = defineProblem({
  code: 'order_fulfillment_started',
  status: 409,
  title: 'Fulfillment of the order has started',
});
export const orderTransitionIllegal = defineProblem({
  code: 'order_transition_illegal',
  status: 409,
  title: 'The order cannot change to this state',
});
export const orderPaymentChanged = defineProblem({
  code: 'order_payment_changed',
  status: 409,
  title: 'The payment status of the order has changed',
});
