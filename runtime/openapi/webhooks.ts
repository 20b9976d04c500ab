/**
 * Events in the document, as webhooks of OpenAPI 3.1: what happens, and what is told of it.
 */
import type { PathItemObject } from 'openapi3-ts/oas31';
import { DateTime, object, type TSchema, Type, Uuid } from '../http/schemas.ts';
import type { Components } from './components.ts';

/** A kind of event. */
export interface DocumentEvent {
  /** `order.placed` */
  type: string;
  summary: string;
  payload: TSchema;
}

export const eventTag = { name: 'Events', description: 'What is told of what has happened' };

const description = `Told once it has been committed, in the order of the events of its resource. Whoever is told may be told again when the answer was lost: \`id\` is the same each time.`;

/** What it is about. */
const EventResource = object(
  { type: Type.String({ examples: ['order'] }), id: Uuid },
  { $id: 'EventResource', description: 'What it is about: events of one resource are told in their order' },
);

/** An event as it is told: `order.placed` is called OrderPlacedEvent. */
function eventSchema({ type, payload }: DocumentEvent): TSchema {
  const name = type.replaceAll(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const told = { id: Uuid, type: Type.Literal(type), createdAt: DateTime, resource: EventResource, payload };
  return object(told, { $id: `${name}Event` });
}

/** The webhook of an event. */
export function webhookOf(event: DocumentEvent, components: Components): PathItemObject {
  const name = event.type.replaceAll(/[._-]+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return {
    post: {
      operationId: `on${name.replace(/^./, (letter) => letter.toUpperCase())}`,
      tags: [eventTag.name],
      summary: event.summary,
      description,
      security: [],
      requestBody: { required: true, content: { 'application/json': components.content(eventSchema(event)) } },
      responses: { '2XX': { description: 'It was taken' } },
    },
  };
}
