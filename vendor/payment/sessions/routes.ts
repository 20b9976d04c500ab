/**
 * Routes of payment for shoppers and payment providers.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { object, RawBody, route, Type, Uuid, withOverrides } from '@carton/runtime';
import {
  paymentMethodUnavailable,
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
  webhookSignatureInvalid,
  webhookUnreadable,
} from '../adapters/adapter.ts';
import { payOrder } from '../pay-later/service.ts';
import { OpenPaymentSession, OrderPaymentSession, PaymentMethodList, PaymentSession } from '../schemas.ts';
import { receiveWebhook } from '../webhooks/service.ts';
import { startHookProblems } from './hooks.ts';
import { methodsFor, nothingToPay, openPaymentSession as open, startPaymentProblems } from './service.ts';

const tag = 'Payments';
const ownProblems = [nothingToPay, ...startPaymentProblems];

export const listPaymentMethods = route(
  {
    method: 'get',
    path: '/payment-methods',
    operationId: 'listPaymentMethods',
    tag,
    summary: 'List the payment methods a shopper can choose',
    description:
      "Without the methods that cannot charge what is left to pay of the caller's cart or, with `orderId`, of that order: providers have a least and a greatest amount, and take some currencies in steps only.",
    access: 'session',
    query: object({
      orderId: Type.Optional({ ...Uuid, description: 'The order to be paid, instead of the cart' }),
    }),
    status: 200,
    response: PaymentMethodList,
  },
  async ({ db, session, query }) => ({ items: await methodsFor(db, session, query.orderId) }),
);

export const openPaymentSession = withOverrides(
  route(
    {
      method: 'post',
      path: '/cart/payment-sessions',
      operationId: 'openPaymentSession',
      tag,
      summary: 'Start the payment of the cart',
      description:
        'Opens a session with the payment provider for the total of the cart, less what gift cards and store credit pay. A cart has one session: a request for the same method and amount returns it, any other replaces it.',
      access: 'session',
      body: OpenPaymentSession,
      status: 201,
      response: PaymentSession,
      problems: ownProblems,
    },
    ({ db, session, body, client }) => open(db, session, body.paymentMethod, client),
  ),
  (box) => ({ problems: [...ownProblems, ...startHookProblems(box)] }),
);

export const openOrderPaymentSession = route(
  {
    method: 'post',
    path: '/checkout/:orderId/payment-sessions',
    beyond: true,
    operationId: 'openOrderPaymentSession',
    tag,
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

export const receivePaymentWebhook = route(
  {
    method: 'post',
    path: '/payments/webhooks/:provider',
    operationId: 'receivePaymentWebhook',
    tag,
    summary: 'Receive a webhook of a payment provider',
    description:
      "Authenticated by the provider's signature over the bytes of the body, which its adapter verifies. A repeated event changes nothing.",
    access: 'public',
    params: object({ provider: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 60, examples: ['stripe'] }) }),
    body: RawBody,
    bodyLimit: 256 * 1024,
    // A provider sends the events of all shoppers from a few addresses; rejecting an unsigned request costs one hash.
    rateLimit: false,
    status: 204,
    problems: [webhookSignatureInvalid, webhookUnreadable],
  },
  ({ db, params, headers, body }) => receiveWebhook(db, params.provider, { headers, body }),
);
