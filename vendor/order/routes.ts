/**
 * Orders for staff.
 */
import { resource, route } from '@carton/runtime';
import { ChangeOrder } from './details/schemas.ts';
import { archiveOrder as archive, changeOrder, unarchiveOrder as unarchive } from './details/service.ts';
import { AdminOrder, AdminOrderPage } from './schemas.ts';
import { AdminOrderQuery } from './search/schemas.ts';
import { listOrders } from './search/service.ts';
import { readOrder } from './service.ts';

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
