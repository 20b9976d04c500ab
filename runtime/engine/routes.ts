/**
 * Deliveries of events to the subscribers in the box: which wait, which are dead, and sending one again.
 */
import { route } from '../box/services.ts';
import { defineProblem, notFound } from '../http/problems.ts';
import { findDelivery, listDeliveries, retryDelivery } from './deliveries.ts';
import { EventDelivery, EventDeliveryPage, EventDeliveryQuery } from './schemas.ts';

const eventDelivered = defineProblem({
  code: 'event_delivered',
  status: 409,
  title: 'The subscriber has taken this event',
});

const listEventDeliveries = route(
  {
    method: 'get',
    path: '/admin/event-deliveries',
    operationId: 'listEventDeliveries',
    tag: 'Event deliveries',
    summary: 'List deliveries of events to subscribers in the box, newest first',
    description:
      'What fails is tried again for about two days, with longer and longer pauses, and the later events of the same resource wait behind it. Then it is `dead`, and they go on.',
    access: 'staff',
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
    summary: 'Deliver an event again that is dead or waits',
    description:
      'It is delivered at once, and counted as new. One that was dead comes after later events of its resource.',
    access: 'staff',
    status: 200,
    response: EventDelivery,
    problems: [eventDelivered],
  },
  async ({ db, params }) => {
    const delivery = await retryDelivery(db, params.id);
    if (delivery) return delivery;
    if (await findDelivery(db, params.id)) throw eventDelivered('There is nothing to deliver again.');
    throw notFound(`No delivery has the id ${params.id}.`);
  },
);

export const eventDeliveryRoutes = [listEventDeliveries, readEventDelivery, retryEventDelivery];
