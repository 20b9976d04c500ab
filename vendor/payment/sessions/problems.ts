/**
 * Problems of starting a payment.
 */
import { defineProblem } from '@carton/runtime';
import {
  paymentMethodUnavailable,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
} from '../adapters/problems.ts';

export const nothingToPay = defineProblem({ code: 'nothing_to_pay', status: 409, title: 'There is nothing to pay' });
export const paymentSessionClosed = defineProblem({
  code: 'payment_session_closed',
  status: 409,
  title: 'Another payment of this cart replaced this one',
});

/** What `startPayment`, `confirmPayment` and then `attachPayment` throw, for routes to declare. */
export const startPaymentProblems = [
  paymentsNotConfigured,
  paymentMethodUnknown,
  paymentMethodUnavailable,
  paymentRefused,
  paymentProviderFailed,
  paymentSessionClosed,
];
