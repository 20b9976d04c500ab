/**
 * The vendor reads what happened, also without a webhook.
 */
import { DateTime, pageQuery, routeFor, Type, Uuid } from '@carton/runtime/service';
import { CustomerId } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { eventDays, listEvents } from './outbox.ts';
import { EventPage, EventType } from './schemas.ts';

const route = routeFor<CommonServices, CommonCallers>();

export const eventRoutes = [
  route(
    {
      method: 'get',
      path: '/events',
      operationId: 'listEvents',
      tag: 'Event log',
      summary: 'List events, newest first',
      description: `Those of the last ${eventDays} days. \`from\` is included, \`to\` is not.`,
      access: 'admin',
      query: pageQuery({
        type: Type.Optional(EventType),
        customerId: Type.Optional(CustomerId),
        resourceId: Type.Optional(Uuid),
        from: Type.Optional(DateTime),
        to: Type.Optional(DateTime),
      }),
      status: 200,
      response: EventPage,
    },
    ({ db, query }) => listEvents(db, query),
  ),
];
