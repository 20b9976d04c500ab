/**
 * Events of collection.
 */
import { defineEvent, object, Type } from '@carton/runtime';

export const collectionUpdated = defineEvent({
  type: 'collection.updated',
  summary: 'A collection was created, changed or deleted, or its products were set',
  payload: object({ handle: Type.String(), title: Type.String(), kind: Type.String(), deleted: Type.Boolean() }),
});
