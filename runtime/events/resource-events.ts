/**
 * The events of a resource that is created, changed and deleted: three, with one payload.
 */
import type { TObject } from '../http/schemas.ts';
import { defineEvent, type EventDefinition } from './event.ts';

export interface ResourceEvents<Payload extends TObject = TObject> {
  readonly created: EventDefinition<Payload>;
  readonly updated: EventDefinition<Payload>;
  readonly deleted: EventDefinition<Payload>;
}

/**
 * @param type of the resource, as in `Resource`
 * @param noun of the resource, for the document
 * @param changed the rest of the sentence of `updated`
 * @example resourceEvents({ type: 'region', noun: 'region', payload }) // region.created, region.updated, region.deleted
 */
export function resourceEvents<Payload extends TObject>({
  type,
  noun,
  payload,
  changed = 'was changed',
}: {
  type: string;
  noun: string;
  payload: Payload;
  changed?: string;
}): ResourceEvents<Payload> {
  return Object.freeze({
    created: defineEvent({ type: `${type}.created`, summary: `A ${noun} was created`, payload }),
    updated: defineEvent({ type: `${type}.updated`, summary: `A ${noun} ${changed}`, payload }),
    deleted: defineEvent({ type: `${type}.deleted`, summary: `A ${noun} was deleted`, payload }),
  });
}
