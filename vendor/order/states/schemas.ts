/**
 * Schemas of changes of the states of orders.
 */
import { object, Type } from '@carton/runtime';

export const CancelOrder = object(
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: ['Ordered twice'] })) },
  { $id: 'CancelOrder' },
);
