/**
 * Events of things.
 */
import { defineEvent, object, Type } from '@carton/runtime';

export const thingUpdated = defineEvent({
  type: 'thing.updated',
  summary: 'One of the things was created, changed or deleted',
  payload: object({ title: Type.String(), deleted: Type.Boolean() }),
});
