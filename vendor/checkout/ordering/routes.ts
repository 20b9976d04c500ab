/**
 * Checkout: previewing, placing and reading an order.
 */
import { asksServices } from '@carton/cart';
import { insufficientStock } from '@carton/inventory';
import { startHookProblems, startPaymentProblems } from '@carton/payment';
import { htmlMediaType, object, route, Uuid, withOverrides } from '@carton/runtime';
import { readConfirmation } from '../confirmation/page.ts';
import { placingProblemsIn, requirementCodesIn } from '../placing/requirements.ts';
import { etagPrefixOf, offerChanged, totalChanged } from '../preview/offer.ts';
import { cartChanged, cartEmpty, unpaidUnitsLimit } from '../problems.ts';
import { reservationOff, reserveCheckout } from '../reservations/service.ts';
import {
  Checkout,
  CheckoutPreview,
  CheckoutPreviewQuery,
  CheckoutReservation,
  checkoutPreviewOf,
  PlacedOrder,
} from '../schemas.ts';
import { previewCheckout } from './cart.ts';
import { placeOrder, readAwaitedOrder } from './service.ts';

const tag = 'Checkout';

const ownProblems = [cartEmpty, cartChanged, offerChanged, totalChanged, ...startPaymentProblems];

export const readCheckout = withOverrides(
  route(
    {
      method: 'get',
      path: '/checkout',
      operationId: 'readCheckout',
      tag,
      summary: 'Preview the order: totals and unmet requirements',
      access: 'session',
      query: CheckoutPreviewQuery,
      status: 200,
      response: CheckoutPreview,
      etagPrefix: etagPrefixOf,
    },
    ({ db, session, query, client }) => previewCheckout(db, session, query, client),
  ),
  (box) => ({ response: checkoutPreviewOf(box, requirementCodesIn(box)) }),
);

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

export const readOrderConfirmation = route(
  {
    method: 'get',
    path: '/checkout/:orderId/confirmation',
    beyond: true,
    operationId: 'readOrderConfirmation',
    tag,
    summary: 'Read the confirmation of an order as a page to print',
    description:
      'HTML without scripts. Dates and amounts have the language of the order and the time zone of the store. Personal data is masked as in `GET /checkout/{orderId}`.',
    access: 'session',
    params: object({ orderId: Uuid }),
    status: 200,
    mediaType: htmlMediaType,
  },
  ({ db, session, params }) => readConfirmation(db, session, params.orderId),
);
