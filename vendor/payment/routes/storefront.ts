/**
 * Paying, as shoppers and their providers do it.
 */
import { orderAlreadyCanceled } from '@carton/order';
import { object, RawBody, route, Type, Uuid, withOverrides } from '@carton/runtime';
import {
  paymentMethodUnknown,
  paymentProviderFailed,
  paymentRefused,
  paymentsNotConfigured,
  webhookSignatureInvalid,
  webhookUnreadable,
} from '../adapter.ts';
import { offeredMethods } from '../methods.ts';
import { payOrder } from '../pay-later.ts';
import { OpenPaymentSession, PaymentMethodList, PaymentSession } from '../schemas.ts';
import { startHookProblems } from '../session-hooks.ts';
import { beginPaymentProblems, nothingToPay, openPaymentSession as open } from '../sessions.ts';
import { receiveWebhook } from '../webhooks.ts';

const tag = 'Payments';
const ownProblems = [nothingToPay, ...beginPaymentProblems];

export const listPaymentMethods = route(
  {
    method: 'get',
    path: '/payment-methods',
    operationId: 'listPaymentMethods',
    tag,
    summary: 'List the methods a shopper may pay with',
    access: 'session',
    status: 200,
    response: PaymentMethodList,
  },
  async ({ db }) => ({ items: await offeredMethods(db) }),
);

export const openPaymentSession = withOverrides(
  route(
    {
      method: 'post',
      path: '/cart/payment-sessions',
      operationId: 'openPaymentSession',
      tag,
      summary: 'Open a session with the payment provider for what is to be paid of the cart',
      description:
        'That is its total, less what gift cards and the like pay. A cart has one. Asked for the same method and amount, it is the same session.',
      access: 'session',
      body: OpenPaymentSession,
      status: 201,
      response: PaymentSession,
      problems: ownProblems,
    },
    ({ db, session, body }) => open(db, session, body.paymentMethod),
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
    summary: 'Open a session with the payment provider for what is still owed of an order',
    description:
      'For whoever has the unguessable id of the order: no log-in and no session is asked. It is the balance, less what is authorized already. Asked for the same method and amount, it is the same session; another method takes its place. What comes in beyond what is owed, or for an order that was canceled meanwhile, is given back.',
    access: 'session',
    rateLimit: 'checkout',
    params: object({ orderId: Uuid }),
    body: OpenPaymentSession,
    status: 201,
    response: PaymentSession,
    problems: [
      paymentsNotConfigured,
      paymentMethodUnknown,
      orderAlreadyCanceled,
      nothingToPay,
      paymentRefused,
      paymentProviderFailed,
    ],
  },
  ({ db, params, body }) => payOrder(db, params.orderId, body.paymentMethod),
);

export const receivePaymentWebhook = route(
  {
    method: 'post',
    path: '/payments/webhooks/:provider',
    operationId: 'receivePaymentWebhook',
    tag,
    summary: 'Call-back of a payment provider',
    description:
      "The credential is the provider's signature over the bytes of the body, which its adapter checks. An event works once, however often it is sent.",
    access: 'public',
    params: object({ provider: Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 60, examples: ['stripe'] }) }),
    body: RawBody,
    bodyLimit: 256 * 1024,
    // A provider sends for all shoppers from a few addresses; what is not signed costs no more than its hash.
    rateLimit: false,
    status: 204,
    problems: [webhookSignatureInvalid, webhookUnreadable],
  },
  ({ db, params, headers, body }) => receiveWebhook(db, params.provider, { headers, body }),
);
