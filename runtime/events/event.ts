/**
 * Events: facts that other packages and services may act on, with a payload of a declared schema. docs/events.md has the
 * convention of their names and payloads.
 */
import type { Static, TSchema } from '../http/schemas.ts';

export interface EventDefinition<Payload extends TSchema = TSchema> {
  /** `<resource>.created`, `updated` or `deleted`, or a verb in the past for what happened; unique in the product. */
  readonly type: string;
  readonly summary: string;
  /** Without personal data: receivers read the resource. */
  readonly payload: Payload;
  /** Under which types earlier releases recorded it: such events may still wait for their delivery. */
  readonly formerly?: readonly FormerEvent[];
  /**
   * Why its payload has personal data, which a subscriber in the box needs and cannot read. Such an event is delivered to
   * subscribers that name it, and to no others: nothing that leaves the box may have it.
   */
  readonly internal?: string;
}

/** An event as an earlier release recorded it. Its properties that the payload has still are those of today. */
export interface FormerEvent {
  readonly type: string;
  /** The events of this type that are meant, by their payload; all if absent. */
  when?(payload: Readonly<Record<string, unknown>>): boolean;
}

/**
 * @example export const orderPlaced = defineEvent({ type: 'order.placed', summary: 'An order was placed', payload:
 * Order });
 */
export function defineEvent<Payload extends TSchema>(event: EventDefinition<Payload>): EventDefinition<Payload> {
  return Object.freeze(event);
}

export type PayloadOf<Event> = Event extends EventDefinition<infer Payload> ? Static<Payload> : never;
