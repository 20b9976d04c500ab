/**
 * Routes of payment for shoppers.
 */
import { object, route, Type, Uuid, withOverrides } from '@carton/runtime';
import { PaymentMethodList } from '../methods/schemas.ts';
import { startHookProblems } from './hooks.ts';
import { nothingToPay, startPaymentProblems } from './problems.ts';
import { OpenPaymentSession, PaymentSession } from './schemas.ts';
import { methodsFor, openPaymentSession as open } from './service.ts';

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
