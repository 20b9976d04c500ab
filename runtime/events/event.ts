/**
 * Events: facts that other packages and services may act on, with a payload of a declared schema.
 */
import type { Static, TSchema } from '../http/schemas.ts';

export interface EventDefinition<Payload extends TSchema = TSchema> {
  /** `<resource>.<past tense>`, unique in the product. */
  readonly type: string;
  readonly summary: string;
  readonly payload: Payload;
}

/**
 * @example export const orderPlaced = defineEvent({ type: 'order.placed', summary: 'An order was placed', payload:
 * Order });
 */
export function defineEvent<Payload extends TSchema>(event: EventDefinition<Payload>): EventDefinition<Payload> {
  return Object.freeze(event);
}

export type PayloadOf<Event> = Event extends EventDefinition<infer Payload> ? Static<Payload> : never;
