/**
 * Schemas of the shipping of a sale, as its totals show it.
 */
import { Money, nullable, object, oneOf, type Static, Type, Uuid } from '@carton/runtime';
import { ProfileOfGoods, ShippingPickupLocation } from '../schemas.ts';

export const CartShipping = object(
  {
    profile: ProfileOfGoods,
    state: oneOf(['chosen', 'unavailable', 'none'], {
      description: '`unavailable`: the chosen option cannot be used any more, and the cart cannot be ordered',
    }),
    optionId: nullable(Uuid),
    code: nullable(Type.String({ examples: ['standard'] })),
    name: nullable(Type.String({ examples: ['Standard shipping'] })),
    type: nullable(Type.String({ examples: ['flat'] })),
    price: nullable(Money),
    pickupLocation: nullable(ShippingPickupLocation),
    reason: nullable(Type.String({ description: 'Stable code of why the option cannot be used', examples: ['zone'] })),
  },
  { $id: 'CartShipping', description: 'The shipping of the goods of one profile' },
);
export type CartShipping = Static<typeof CartShipping>;
