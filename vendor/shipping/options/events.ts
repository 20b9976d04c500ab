/**
 * Events of shipping.
 */
import { defineEvent, nullable, object, Type, Uuid } from '@carton/runtime';

export const shippingOptionUpdated = defineEvent({
  type: 'shipping_option.updated',
  summary: 'A shipping option was created, changed or deleted',
  payload: object({
    code: Type.String(),
    name: Type.String(),
    zoneId: nullable(Uuid),
    profile: nullable(Type.String()),
    type: Type.String(),
    deleted: Type.Boolean(),
  }),
});
