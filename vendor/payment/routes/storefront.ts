/**
 * Paying, as shoppers do it.
 */
import { route } from '@carton/runtime';
import { beginPaymentProblems, boundAdapter } from '../adapter.ts';
import { OpenPaymentSession, PaymentMethodList, PaymentSession } from '../schemas.ts';
import { nothingToPay, openPaymentSession as open } from '../service.ts';

const tag = 'Payments';

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
  ({ db }) => {
    const adapter = boundAdapter(db);
    return { items: adapter.methods().map((code) => ({ code, provider: adapter.name })) };
  },
);

export const openPaymentSession = route(
  {
    method: 'post',
    path: '/cart/payment-sessions',
    operationId: 'openPaymentSession',
    tag,
    summary: 'Open a session with the payment provider for the total of the cart',
    access: 'session',
    body: OpenPaymentSession,
    status: 201,
    response: PaymentSession,
    problems: [nothingToPay, ...beginPaymentProblems],
  },
  ({ db, session, body }) => open(db, session, body.paymentMethod),
);
