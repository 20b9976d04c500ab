/**
 * Schemas of event deliveries.
 */
import { pageOf, pageQuery } from '../http/paging.ts';
import { DateTime, nullable, object, oneOf, type Static, Type, timestamps, Uuid } from '../http/schemas.ts';

const deliveryStates = ['pending', 'delivered', 'dead'] as const;
const Subscriber = Type.String({ minLength: 1, maxLength: 120, examples: ['payment.void-canceled'] });
const EventType = Type.String({ minLength: 1, maxLength: 120, examples: ['order.placed'] });

/** The delivery of an event to one subscriber in the box. */
export const EventDelivery = object(
  {
    id: Uuid,
    subscriber: Subscriber,
    status: oneOf(deliveryStates),
    attempts: Type.Integer({ minimum: 0 }),
    nextAttemptAt: DateTime,
    error: nullable(Type.String({ description: 'Why the last attempt failed' })),
    event: object({
      id: Uuid,
      type: EventType,
      createdAt: DateTime,
      resource: object({ type: Type.String({ examples: ['order'] }), id: Uuid }),
      payload: Type.Unknown(),
    }),
    ...timestamps,
  },
  { $id: 'EventDelivery' },
);
export type EventDelivery = Static<typeof EventDelivery>;
export const EventDeliveryPage = pageOf(EventDelivery, 'EventDeliveryPage');
export const EventDeliveryQuery = pageQuery({
  status: Type.Optional(oneOf(deliveryStates)),
  subscriber: Type.Optional(Subscriber),
  type: Type.Optional(EventType),
  resourceId: Type.Optional(Uuid),
});
export type EventDeliveryQuery = Static<typeof EventDeliveryQuery>;
