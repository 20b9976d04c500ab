/**
 * Orders for the members who placed them.
 */
import { pageQuery, route } from '@carton/runtime';
import { OrderPage, OrderResource } from '../schemas.ts';
import { orderAlreadyCanceled, orderFulfillmentStarted } from '../states/problems.ts';
import { CancelOrder } from '../states/schemas.ts';
import { cancelOwnOrder, listOwnOrders, readOwnOrder } from './service.ts';

const common = { tag: 'Member', access: 'member' } as const;

export const listMemberOrders = route(
  {
    ...common,
    method: 'get',
    path: '/member/orders',
    operationId: 'listMemberOrders',
    summary: 'List your orders, newest first',
    description: 'Including those that you placed as a guest with your verified e-mail address.',
    query: pageQuery(),
    status: 200,
    response: OrderPage,
  },
  ({ db, session, query }) => listOwnOrders(db, session.memberId, query),
);

export const readMemberOrder = route(
  {
    ...common,
    method: 'get',
    path: '/member/orders/:id',
    operationId: 'readMemberOrder',
    summary: 'Read one of your orders',
    status: 200,
    response: OrderResource,
  },
  ({ db, session, params }) => readOwnOrder(db, session.memberId, params.id),
);

export const cancelMemberOrder = route(
  {
    ...common,
    method: 'post',
    path: '/member/orders/:id/cancel',
    operationId: 'cancelMemberOrder',
    summary: 'Cancel one of your orders, before its fulfillment starts',
    description: 'What was paid is refunded, as when staff cancel the order.',
    body: CancelOrder,
    bodyOptional: true,
    status: 200,
    response: OrderResource,
    problems: [orderAlreadyCanceled, orderFulfillmentStarted],
    idempotent: true,
  },
  ({ db, session, params, body }) => cancelOwnOrder(db, session.memberId, params.id, body?.reason),
);
