/**
 * Events of shipping.
 */
import { nullable, object, resourceEvents, Type, Uuid } from '@carton/runtime';

export const shippingOptionEvents = resourceEvents({
  type: 'shipping_option',
  noun: 'shipping option',
  payload: object({
    code: Type.String(),
    zoneId: nullable(Uuid),
    profile: nullable(Type.String()),
    type: Type.String(),
  }),
});
