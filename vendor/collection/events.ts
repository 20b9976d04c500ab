/**
 * Events of collection.
 */
import { object, resourceEvents, Type } from '@carton/runtime';

export const collectionEvents = resourceEvents({
  type: 'collection',
  noun: 'collection',
  updated: 'was changed, or its products were set',
  payload: object({ handle: Type.String(), kind: Type.String() }),
});
