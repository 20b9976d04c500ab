/**
 * Schemas of events.
 */
import { DateTime, object, pageOf, type Static, Type, Uuid } from '@carton/runtime/service';

export const EventType = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[a-z_]+\\.[a-z_]+$',
  examples: ['license.minted'],
});

export const Event = object(
  {
    id: Uuid,
    type: EventType,
    createdAt: DateTime,
    resource: object({ type: Type.String({ examples: ['license'] }), id: Uuid }),
    payload: Type.Unknown({ description: 'The resource after the change, by the type of the event' }),
  },
  { $id: 'Event' },
);
export type Event = Static<typeof Event>;
export const EventPage = pageOf(Event, 'EventPage');
