/**
 * Schemas of the options chosen for an order.
 */
import { Money, nullable, object, type Static, Type, Uuid } from '@carton/runtime';
import { ProfileOfGoods, ShippingPickupLocation } from '../schemas.ts';

export const OrderShippingMethods = object(
  {
    items: Type.Array(
      object(
        {
          profile: ProfileOfGoods,
          optionId: Uuid,
          code: Type.String({ examples: ['standard'] }),
          name: Type.String({ examples: ['Standard shipping'] }),
          type: Type.String({ examples: ['flat'] }),
          price: Money,
          pickupLocation: nullable(ShippingPickupLocation),
        },
        { $id: 'OrderShippingMethod' },
      ),
    ),
  },
  { $id: 'OrderShippingMethods' },
);
export type OrderShippingMethods = Static<typeof OrderShippingMethods>;
