/**
 * The events of a resource that is created, changed and deleted: three, with one payload.
 */
import type { TObject } from '../http/schemas.ts';
import { defineEvent, type EventDefinition, type FormerEvent } from './event.ts';

export interface ResourceEvents<Payload extends TObject = TObject> {
  readonly created: EventDefinition<Payload>;
  readonly updated: EventDefinition<Payload>;
  readonly deleted: EventDefinition<Payload>;
}

/**
 * Until release 0.2.0 `updated` reported every write of some resources, a deletion with `deleted: true`. What it reported
 * of a creation is not told from a change.
 */
function formerDeletion(type: string): FormerEvent {
  return { type: `${type}.updated`, when: ({ deleted }) => deleted === true };
}

/**
 * @param type of the resource, as in `Resource`
 * @param noun of the resource, for the document
 * @param created the rest of the sentence of `created`; likewise `updated` and `deleted`
 * @example resourceEvents({ type: 'region', noun: 'region', payload }) // region.created, region.updated, region.deleted
 */
export function resourceEvents<Payload extends TObject>({
  type,
  noun,
  payload,
  created = 'was created',
  updated = 'was changed',
  deleted = 'was deleted',
}: {
  type: string;
  noun: string;
  payload: Payload;
  created?: string;
  updated?: string;
  deleted?: string;
}): ResourceEvents<Payload> {
  const define = (name: keyof ResourceEvents, happened: string, formerly: readonly FormerEvent[] = []) =>
    defineEvent({ type: `${type}.${name}`, summary: `A ${noun} ${happened}`, payload, formerly });
  return Object.freeze({
    created: define('created', created),
    updated: define('updated', updated),
    deleted: define('deleted', deleted, [formerDeletion(type)]),
  });
}
