/**
 * Orders for staff.
 */
import { resource, route } from '@carton/runtime';
import { AdminOrder, AdminOrderPage, AdminOrderQuery, CancelOrder, ChangeOrder } from './schemas.ts';
import {
  archiveOrder as archive,
  cancelOrder as cancel,
  changeOrder,
  listOrders,
  readOrder,
  unarchiveOrder as unarchive,
} from './service.ts';
import { orderAlreadyCanceled, orderFulfillmentStarted } from './states/transitions.ts';

const common = { tag: 'Orders', access: 'staff' } as const;

export const adminOrders = resource({
  ...common,
  path: '/admin/orders',
  noun: 'order',
  item: AdminOrder,
  list: {
    description:
      'Newest first. With several filters, a page may have fewer items than `limit`, even none, and a `nextCursor`: the list ends when `nextCursor` is null.',
    query: AdminOrderQuery,
    page: AdminOrderPage,
    run: ({ db, query }) => listOrders(db, query),
  },
  read: { run: ({ db, params }) => readOrder(db, params.id) },
  change: {
    summary: "Update an order's customer details, tags, external id and metadata",
    description: 'Null removes a value. Metadata and tags are replaced entirely.',
    body: ChangeOrder,
    run: ({ db, params, body }) => changeOrder(db, params.id, body),
  },
});

export const cancelOrder = route(
  {
    ...common,
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

export const archiveOrder = route(
  {
    ...common,
    method: 'post',
    path: '/admin/orders/:id/archive',
    operationId: 'archiveOrder',
    summary: 'Archive an order',
    status: 200,
    response: AdminOrder,
  },
  ({ db, params }) => archive(db, params.id),
);

export const unarchiveOrder = route(
  {
    ...common,
    method: 'post',
    path: '/admin/orders/:id/unarchive',
    beyond: true,
    operationId: 'unarchiveOrder',
    summary: 'Unarchive an order',
    status: 200,
    response: AdminOrder,
  },
  ({ db, params }) => unarchive(db, params.id),
);
