/**
 * Canceling orders, for staff.
 */
import { route } from '@carton/runtime';
import { AdminOrder } from '../schemas.ts';
import { cancelOrder as cancel } from './canceling.ts';
import { orderAlreadyCanceled, orderFulfillmentStarted } from './problems.ts';
import { CancelOrder } from './schemas.ts';

export const cancelOrder = route(
  {
    tag: 'Orders',
    access: 'staff',
    method: 'post',
    path: '/admin/orders/:id/cancel',
    operationId: 'cancelOrder',
    summary: 'Cancel an unfulfilled order',
    description:
      'Restocks the order, voids authorizations and refunds what providers have captured, and what gift cards or store credit have paid. The refunds by providers are pending at first. What staff have received, such as bank transfers, is theirs to pay back: the timeline says how much, and the balance is negative until they record the refund.',
    body: CancelOrder,
    bodyOptional: true,
    status: 200,
    response: AdminOrder,
    problems: [orderAlreadyCanceled, orderFulfillmentStarted],
    idempotent: true,
  },
  ({ db, params, body }) => cancel(db, params.id, body?.reason),
);
