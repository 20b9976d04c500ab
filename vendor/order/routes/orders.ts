/**
 * Orders as staff work on them.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { AdminOrder, AdminOrderPage, AdminOrderQuery, CancelOrder, ChangeOrder } from '../schemas.ts';
import {
  archiveOrder as archive,
  cancelOrder as cancel,
  changeOrder,
  listOrders,
  orderAlreadyCanceled,
  orderFulfillmentStarted,
  readOrder,
} from '../service.ts';

const tag = 'Orders';

export const listAdminOrders = route(
  {
    method: 'get',
    path: '/admin/orders',
    operationId: 'listAdminOrders',
    tag,
    summary: 'List orders, newest first',
    access: 'staff',
    query: AdminOrderQuery,
    status: 200,
    response: AdminOrderPage,
  },
  ({ db, query }) => listOrders(db, query),
);

export const readAdminOrder = route(
  {
    method: 'get',
    path: '/admin/orders/:id',
    operationId: 'readAdminOrder',
    tag,
    summary: 'Read an order',
    access: 'staff',
    status: 200,
    response: AdminOrder,
  },
  ({ db, params }) => readOrder(db, params.id),
);

export const updateOrder = route(
  {
    method: 'patch',
    path: '/admin/orders/:id',
    operationId: 'updateOrder',
    tag,
    summary: "Change an order's e-mail, addresses, externalId and metadata",
    description: 'Null removes. Metadata is replaced as a whole.',
    access: 'staff',
    body: ChangeOrder,
    status: 200,
    response: AdminOrder,
    problems: [externalIdTaken],
  },
  ({ db, params, body }) => changeOrder(db, params.id, body),
);

export const cancelOrder = route(
  {
    method: 'post',
    path: '/admin/orders/:id/cancel',
    operationId: 'cancelOrder',
    tag,
    summary: 'Cancel an order that nothing was fulfilled of',
    description:
      'Its stock returns. What was not paid yet is voided; what was paid offline is to be paid back by hand.',
    access: 'staff',
    body: CancelOrder,
    bodyOptional: true,
    status: 200,
    response: AdminOrder,
    problems: [orderAlreadyCanceled, orderFulfillmentStarted],
    idempotent: true,
  },
  ({ db, params, body }) => cancel(db, params.id, body?.reason),
);

export const archiveOrder = route(
  {
    method: 'post',
    path: '/admin/orders/:id/archive',
    operationId: 'archiveOrder',
    tag,
    summary: 'Archive an order',
    access: 'staff',
    status: 200,
    response: AdminOrder,
  },
  ({ db, params }) => archive(db, params.id),
);
