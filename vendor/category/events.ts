/**
 * Events of category.
 */
import { nullable, object, resourceEvents, Type, Uuid } from '@carton/runtime';

export const categoryEvents = resourceEvents({
  type: 'category',
  noun: 'category',
  updated: 'was changed or moved, or its products were set',
  payload: object({
    handle: Type.String(),
    parentId: nullable(Uuid),
    visible: Type.Boolean(),
  }),
});
