/**
 * Routes of parcels for staff, and for the members who ordered.
 */
import { insufficientStock } from '@carton/inventory';
import { orderAlreadyCanceled, orderAwaitsPayment } from '@carton/order';
import { externalIdTaken, resource, route } from '@carton/runtime';
import { fulfillmentExceedsOrder, fulfillmentItemsRefunded, fulfillmentStateConflict } from '../problems.ts';
import { createFulfillment as create } from './packing.ts';
import {
  CancelFulfillment,
  ChangeFulfillment,
  CreateFulfillment,
  Fulfillment,
  FulfillmentPage,
  FulfillmentQuery,
  MemberFulfillments,
  ShipFulfillment,
} from './schemas.ts';
import {
  cancelFulfillment as cancel,
  changeFulfillment,
  deliverFulfillment as deliver,
  listFulfillments,
  listOwnFulfillments,
  readFulfillment,
  shipFulfillment as ship,
} from './service.ts';

const common = { tag: 'Fulfillments', access: 'staff' } as const;
const action = { ...common, method: 'post', status: 200, response: Fulfillment, idempotent: true } as const;

export const adminFulfillments = resource({
  ...common,
  path: '/admin/fulfillments',
  noun: 'fulfillment',
  item: Fulfillment,
  list: {
    summary: 'List fulfillments, newest first',
    description: 'The picking queue: `?status=pending`.',
    query: FulfillmentQuery,
    page: FulfillmentPage,
    run: ({ db, query }) => listFulfillments(db, query),
  },
  read: { run: ({ db, params }) => readFulfillment(db, params.id) },
  change: {
    summary: 'Set the tracking numbers of a fulfillment',
    body: ChangeFulfillment,
    problems: [fulfillmentStateConflict],
    run: ({ db, params, body }) => changeFulfillment(db, params.id, body),
  },
});

export const createFulfillment = route(
  {
    ...action,
    path: '/admin/orders/:id/fulfillments',
    operationId: 'createFulfillment',
    summary: 'Create a fulfillment of items of an order',
    description:
      'A parcel of these units, or of all that are left. Refunded units and items without a parcel are not shipped. Stock is taken only for units that a canceled fulfillment has restocked.',
    body: CreateFulfillment,
    bodyOptional: true,
    status: 201,
    location: '/admin/fulfillments/{id}',
    problems: [orderAlreadyCanceled, orderAwaitsPayment, fulfillmentExceedsOrder, insufficientStock, externalIdTaken],
  },
  ({ db, params, body }) => create(db, params.id, body ?? {}),
);

export const shipFulfillment = route(
  {
    ...action,
    path: '/admin/fulfillments/:id/ship',
    operationId: 'shipFulfillment',
    summary: 'Mark a fulfillment as shipped',
    description:
      'The shopper gets a mail with the tracking links. A fulfillment that is shipped already stays as it is.',
    body: ShipFulfillment,
    bodyOptional: true,
    problems: [fulfillmentStateConflict, fulfillmentItemsRefunded, orderAwaitsPayment],
  },
  ({ db, params, body }) => ship(db, params.id, body ?? {}),
);

export const deliverFulfillment = route(
  {
    ...action,
    path: '/admin/fulfillments/:id/deliver',
    operationId: 'deliverFulfillment',
    summary: 'Mark a shipped fulfillment as delivered',
    description: 'The shopper gets a mail. A fulfillment that is delivered already stays as it is.',
    problems: [fulfillmentStateConflict],
  },
  ({ db, params }) => deliver(db, params.id),
);

export const cancelFulfillment = route(
  {
    ...action,
    path: '/admin/fulfillments/:id/cancel',
    operationId: 'cancelFulfillment',
    summary: 'Cancel a fulfillment that is not shipped, and return its items to stock',
    description:
      'The items can be fulfilled again. A fulfillment that is canceled already stays as it is, and nothing is restocked again.',
    body: CancelFulfillment,
    bodyOptional: true,
    problems: [fulfillmentStateConflict],
  },
  ({ db, params, body }) => cancel(db, params.id, body ?? {}),
);

export const listMemberFulfillments = route(
  {
    method: 'get',
    path: '/member/orders/:id/fulfillments',
    operationId: 'listMemberFulfillments',
    tag: 'Member',
    summary: 'List the parcels of one of your orders with their tracking links',
    description: 'Without those that were canceled.',
    access: 'member',
    status: 200,
    response: MemberFulfillments,
  },
  ({ db, session, params }) => listOwnFulfillments(db, session.memberId, params.id),
);
