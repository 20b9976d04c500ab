/**
 * Checkout: what is still missing, placing the order, reading it.
 */
import { insufficientStock } from '@carton/inventory';
import { OrderResource } from '@carton/order';
import { beginPaymentProblems, startHookProblems } from '@carton/payment';
import { object, route, Uuid, withOverrides } from '@carton/runtime';
import { previewCheckout } from '../cart.ts';
import { etagPrefixOf, offerChanged, totalChanged } from '../drift.ts';
import { cartChanged, cartEmpty } from '../problems.ts';
import { placingProblemsIn, requirementCodesIn } from '../requirements.ts';
import { reservationOff, reserveCheckout } from '../reservations.ts';
import { Checkout, CheckoutPreview, CheckoutReservation, checkoutPreviewOf } from '../schemas.ts';
import { placeOrder, readPlacedOrder } from '../service.ts';

const tag = 'Checkout';

const ownProblems = [cartEmpty, cartChanged, offerChanged, totalChanged, ...beginPaymentProblems];

export const readCheckout = withOverrides(
  route(
    {
      method: 'get',
      path: '/checkout',
      operationId: 'readCheckout',
      tag,
      summary: 'See the totals and what is still missing, one code each',
      access: 'session',
      status: 200,
      response: CheckoutPreview,
      etagPrefix: etagPrefixOf,
    },
    ({ db, session }) => previewCheckout(db, session),
  ),
  (box) => ({ response: checkoutPreviewOf(requirementCodesIn(box)) }),
);

export const createOrder = withOverrides(
  route(
    {
      method: 'post',
      path: '/checkout',
      operationId: 'createOrder',
      tag,
      summary: 'Place the order: the cart becomes an order and is emptied',
      description:
        'All of it happens in one transaction or not at all. With a payment method, the payment is begun before. Of several requests for one cart one places the order; those that waited for it answer the same order, those that come later find an empty cart. With `If-Match` and the ETag of `GET /checkout`, or with `expectedTotal`, nothing is charged but what the shopper has seen.',
      access: 'session',
      idempotent: true,
      conditional: 'inHandler',
      rateLimit: 'checkout',
      outsideTransaction: ({ paymentMethod }: Checkout) => paymentMethod !== undefined,
      body: Checkout,
      status: 201,
      response: OrderResource,
      location: '/checkout/{id}',
      problems: ownProblems,
    },
    ({ db, session, body, ifMatch, workId }) => placeOrder(db, session, body, { ifMatch, workId }),
  ),
  (box) => ({ problems: [...ownProblems, ...startHookProblems(box), ...placingProblemsIn(box)] }),
);

export const reserveCheckoutStock = route(
  {
    method: 'post',
    path: '/checkout/reservation',
    beyond: true,
    operationId: 'reserveCheckoutStock',
    tag,
    summary: 'Have the stock of the cart held while its shopper checks out',
    description: 'Where the shop has it so (`reserveAtCheckout`). Asked again, it holds what is in the cart then.',
    access: 'session',
    rateLimit: 'checkout',
    status: 200,
    response: CheckoutReservation,
    problems: [cartEmpty, insufficientStock, reservationOff],
  },
  ({ db, session }) => reserveCheckout(db, session),
);

export const readOrder = route(
  {
    method: 'get',
    path: '/checkout/:orderId',
    operationId: 'readOrder',
    tag,
    summary: 'Read an order',
    description:
      'Public by its unguessable id. Name, e-mail, phone and addresses are whole for the session or member that placed it, and masked for anyone else.',
    access: 'session',
    params: object({ orderId: Uuid }),
    status: 200,
    response: OrderResource,
  },
  ({ db, session, params }) => readPlacedOrder(db, session, params.orderId),
);
