/**
 * The timeline of an order, and notes by staff.
 */
import { pageOf, pageQuery, route, withOverrides } from '@carton/runtime';
import { AddOrderNote, OrderEvent, OrderEventPage, orderEventSchemaOf } from './schemas.ts';
import { addNote, listTimeline } from './service.ts';

const tag = 'Orders';

export const listOrderTimeline = withOverrides(
  route(
    {
      method: 'get',
      path: '/admin/orders/:id/timeline',
      operationId: 'listOrderTimeline',
      tag,
      summary: 'List the timeline of an order, newest first',
      access: 'staff',
      query: pageQuery(),
      status: 200,
      response: OrderEventPage,
    },
    ({ db, params, query }) => listTimeline(db, params.id, query),
  ),
  (box) => ({ response: pageOf(orderEventSchemaOf(box), 'OrderEventPage') }),
);

export const addOrderNote = withOverrides(
  route(
    {
      method: 'post',
      path: '/admin/orders/:id/notes',
      operationId: 'addOrderNote',
      tag,
      summary: "Add a note to an order's timeline",
      access: 'staff',
      body: AddOrderNote,
      status: 201,
      response: OrderEvent,
    },
    ({ db, params, body }) => addNote(db, params.id, body.note),
  ),
  (box) => ({ response: orderEventSchemaOf(box) }),
);
