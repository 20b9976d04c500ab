/**
 * The confirmation of an order.
 */
import { htmlMediaType, object, route, Uuid } from '@carton/runtime';
import { readConfirmation } from './page.ts';

const tag = 'Checkout';

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
