/**
 * Placing and reading an order.
 */
import { asksServices } from '@carton/cart';
import { startHookProblems, startPaymentProblems } from '@carton/payment';
import { object, route, tooManyRequests, Uuid, withOverrides } from '@carton/runtime';
import { placingProblemsIn } from '../placing/requirements.ts';
import { cartChanged, cartEmpty, offerChanged, totalChanged } from '../problems.ts';
import { Checkout, PlacedOrder } from '../schemas.ts';
import { readAwaitedOrder } from './reading.ts';
import { placeOrder } from './service.ts';

const tag = 'Checkout';

const ownProblems = [cartEmpty, cartChanged, offerChanged, totalChanged, tooManyRequests, ...startPaymentProblems];

export const createOrder = withOverrides(
  route(
    {
      method: 'post',
      path: '/checkout',
      operationId: 'createOrder',
      tag,
      summary: 'Place the order of the cart',
      description:
        'The cart becomes an order and is emptied, in one transaction. With a payment method, the payment starts before it. If its provider has not authorized it yet, the order is `pending`: let the shopper follow `payment.nextAction`. The authorization places the order. If the payment is refused or not completed by `payBy`, the order is canceled and its items return to the cart, unless there are others in it. Of concurrent requests for one cart, one places the order; those that waited return the same order, later ones get 409 `cart_empty` with its `orderId`. With the ETag of `GET /checkout` in `If-Match`, a changed offer is rejected; with `expectedTotal`, a changed total.',
      access: 'session',
      idempotent: true,
      conditional: 'inHandler',
      rateLimit: 'checkout',
      outsideTransaction: ({ paymentMethod }: Checkout) => paymentMethod !== undefined,
      body: Checkout,
      // Every text at its longest, also where a client escapes its characters.
      bodyLimit: 512 * 1024,
      status: 201,
      response: PlacedOrder,
      location: '/checkout/{id}',
      problems: ownProblems,
    },
    ({ db, session, client, body, ifMatch, workId }) => placeOrder(db, session, body, { client, ifMatch, workId }),
  ),
  (box) => ({
    problems: [...ownProblems, ...startHookProblems(box), ...placingProblemsIn(box)],
    ...(asksServices(box) && { outsideTransaction: true }),
  }),
);

export const readOrder = route(
  {
    method: 'get',
    path: '/checkout/:orderId',
    operationId: 'readOrder',
    tag,
    summary: 'Read an order',
    description:
      'Public by its unguessable id. Personal data (name, e-mail, phone, addresses, notes, item properties) is masked, and `payment.nextAction` is null, for everyone but the session or member that placed the order.',
    access: 'session',
    params: object({ orderId: Uuid }),
    status: 200,
    response: PlacedOrder,
  },
  ({ db, session, params }) => readAwaitedOrder(db, session, params.orderId),
);
