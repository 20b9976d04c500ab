/**
 * Routes of payments of existing orders for callers with the link.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { object, route, Uuid } from '@carton/runtime';
import {
  paymentMethodUnavailable,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
} from '../adapters/problems.ts';
import { nothingToPay } from '../sessions/problems.ts';
import { OpenPaymentSession } from '../sessions/schemas.ts';
import { OrderPaymentSession } from './schemas.ts';
import { payOrder } from './service.ts';

export const openOrderPaymentSession = route(
  {
    method: 'post',
    path: '/checkout/:orderId/payment-sessions',
    beyond: true,
    operationId: 'openOrderPaymentSession',
    tag: 'Payments',
    summary: 'Start a payment of what is still owed for an order',
    description:
      'Needs only the unguessable id of the order, no log-in. Opens a session with the payment provider for the balance, less what is authorized already. A request for the same method and amount returns the same session; another method replaces it; but a payment by hand, such as on delivery, is replaced only by the shopper who placed the order, and by nobody once it is being shipped (409 `payment_method_unavailable` for another method by hand). The choice changes the total of the order: the fee of the chosen method (`GET /payment-methods`) takes the place of the fees of methods that have received no money; `total` is the new total. If nothing is left to pay without such a fee, it is removed, and the answer is 409 `nothing_to_pay`. Money received beyond what is owed, or for an order canceled meanwhile, is refunded.',
    access: 'session',
    rateLimit: 'checkout',
    params: object({ orderId: Uuid }),
    body: OpenPaymentSession,
    status: 201,
    response: OrderPaymentSession,
    problems: [
      paymentsNotConfigured,
      paymentMethodUnknown,
      paymentMethodUnavailable,
      orderAlreadyCanceled,
      nothingToPay,
      paymentRefused,
      paymentProviderFailed,
    ],
  },
  ({ db, session, params, body }) => payOrder(db, session, params.orderId, body.paymentMethod),
);
