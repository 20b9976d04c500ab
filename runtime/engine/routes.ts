/**
 * Routes for the deliveries of events to the subscribers in the box: list, read and retry.
 */
import { route } from '../box/services.ts';
import { defineProblem, notFound } from '../http/problems.ts';
import { findDelivery, listDeliveries, retryDelivery } from './deliveries.ts';
import { EventDelivery, EventDeliveryPage, EventDeliveryQuery } from './schemas.ts';

const eventDelivered = defineProblem({
  code: 'event_delivered',
  status: 409,
  title: 'The event has already been delivered',
});

const listEventDeliveries = route(
  {
    method: 'get',
    path: '/admin/event-deliveries',
    operationId: 'listEventDeliveries',
    tag: 'Event deliveries',
    summary: 'List deliveries of events to subscribers in the box, newest first',
    description:
      'A failed delivery is retried for about two days with increasing delays, while later events of the same resource wait. Then it is `dead`, and the later events are delivered.',
    access: 'staff',
    beyond: true,
    query: EventDeliveryQuery,
    status: 200,
    response: EventDeliveryPage,
  },
  ({ db, query }) => listDeliveries(db, query),
);

const readEventDelivery = route(
  {
    method: 'get',
    path: '/admin/event-deliveries/:id',
    operationId: 'readEventDelivery',
    tag: 'Event deliveries',
    summary: 'Read a delivery',
    access: 'staff',
    beyond: true,
    status: 200,
    response: EventDelivery,
  },
  async ({ db, params }) => {
    const delivery = await findDelivery(db, params.id);
    if (!delivery) throw notFound(`No delivery has the id ${params.id}.`);
    return delivery;
  },
);

const retryEventDelivery = route(
  {
    method: 'post',
    path: '/admin/event-deliveries/:id/retry',
    operationId: 'retryEventDelivery',
    tag: 'Event deliveries',
    summary: 'Retry a pending or dead delivery',
    description:
      'It is retried immediately and its attempts are counted from zero. A dead delivery may arrive after later events of its resource.',
    access: 'staff',
    beyond: true,
    status: 200,
    response: EventDelivery,
    problems: [eventDelivered],
  },
  async ({ db, params }) => {
    const delivery = await retryDelivery(db, params.id);
    if (delivery) return delivery;
    if (await findDelivery(db, params.id)) throw eventDelivered('A delivered event cannot be retried.');
    throw notFound(`No delivery has the id ${params.id}.`);
  },
);

export const eventDeliveryRoutes = [listEventDeliveries, readEventDelivery, retryEventDelivery];
