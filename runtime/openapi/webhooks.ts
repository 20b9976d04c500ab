/**
 * Events in the document, as OpenAPI 3.1 webhooks.
 */
import type { PathItemObject } from 'openapi3-ts/oas31';
import { DateTime, object, type TSchema, Type, Uuid } from '../http/schemas.ts';
import type { Components } from './components.ts';

/** An event type. */
export interface DocumentEvent {
  /** `order.placed` */
  type: string;
  summary: string;
  payload: TSchema;
  /** Why it stays in the box: `EventDefinition.internal`. */
  internal?: string;
}

export const eventTag = { name: 'Events', description: 'Events that are sent to webhooks' };

const description =
  'Sent after the change has been committed. Events of one resource are sent in order. A delivery is repeated if its response was lost; `id` stays the same.';

const EventResource = object(
  { type: Type.String({ examples: ['order'] }), id: Uuid },
  { $id: 'EventResource', description: 'The resource of the event; events of one resource are sent in order' },
);

/** The schema of an event as it is sent: `order.placed` is named OrderPlacedEvent. */
function eventSchema({ type, payload }: DocumentEvent): TSchema {
  const name = type.replaceAll(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const properties = { id: Uuid, type: Type.Literal(type), createdAt: DateTime, resource: EventResource, payload };
  return object(properties, { $id: `${name}Event` });
}

/** The webhook of an event. One that stays in the box is marked, and never sent. */
export function webhookOf(event: DocumentEvent, components: Components): PathItemObject {
  const { internal } = event;
  const name = event.type.replaceAll(/[._-]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return {
    post: {
      operationId: `on${name.replace(/^./, (letter) => letter.toUpperCase())}`,
      tags: [eventTag.name],
      summary: event.summary,
      description: internal === undefined ? description : `Never sent: this event stays in the box. ${internal}`,
      ...(internal !== undefined && { 'x-stays-in-box': true }),
      security: [],
      requestBody: { required: true, content: { 'application/json': components.content(eventSchema(event)) } },
      responses: { '2XX': { description: 'The event was received' } },
    },
  };
}
