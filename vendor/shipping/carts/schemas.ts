/**
 * Schemas of the options of a cart, and of the choice of one.
 */
import { Money, nullable, object, type Static, Type, Uuid } from '@carton/runtime';
import { ProfileOfGoods, ShippingPickupLocation } from '../schemas.ts';

const named = {
  id: Uuid,
  code: Type.String({ examples: ['standard'] }),
  name: Type.String({ examples: ['Standard shipping'] }),
  type: Type.String({ examples: ['flat'] }),
};

export const CartShippingOptions = object(
  {
    groups: Type.Array(
      object(
        {
          profile: ProfileOfGoods,
          chosenOptionId: nullable(Uuid),
          options: Type.Array(
            object(
              {
                ...named,
                price: Money,
                pickupLocations: Type.Array(ShippingPickupLocation, { description: 'For `pickup`, one to choose' }),
              },
              { $id: 'CartShippingOption' },
            ),
            { description: 'Those that can be bought, at their final price, the cheapest first' },
          ),
        },
        { $id: 'CartShippingGroup', description: 'The goods of one profile, which are shipped by one option' },
      ),
    ),
  },
  { $id: 'CartShippingOptions' },
);
export type CartShippingOptions = Static<typeof CartShippingOptions>;

export const AdminCartShippingOptions = object(
  {
    items: Type.Array(
      object(
        {
          ...named,
          profile: ProfileOfGoods,
          price: nullable(Money),
          reason: nullable(
            Type.String({
              description:
                'Why the option is not offered: `zone`, `profile`, `currency`, `weight`, `price`, `pickup_location`, or a reason of the package that prices it',
              examples: ['weight'],
            }),
          ),
          detail: nullable(Type.String({ examples: ['No weight: Linen shirt M.'] })),
        },
        { $id: 'AdminCartShippingOption' },
      ),
    ),
  },
  { $id: 'AdminCartShippingOptions' },
);
export type AdminCartShippingOptions = Static<typeof AdminCartShippingOptions>;

export const ChooseShippingMethod = object(
  {
    optionId: Uuid,
    pickupLocationId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'For a `pickup` option', examples: ['store'] }),
    ),
  },
  { $id: 'ChooseShippingMethod' },
);
export type ChooseShippingMethod = Static<typeof ChooseShippingMethod>;
