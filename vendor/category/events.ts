/**
 * Events of category.
 */
import { defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

export const categoryUpdated = defineEvent({
  type: 'category.updated',
  summary: 'A category was created, changed, moved or deleted, or its products were set',
  payload: object({
    handle: Type.String(),
    name: Type.String(),
    parentId: nullable(Uuid),
    visible: Type.Boolean(),
    deleted: Type.Boolean(),
  }),
});
