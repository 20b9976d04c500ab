/**
 * Schemas that subjects share.
 */
import { Country, humanText, nullable, object, type Static, Type } from '@carton/runtime';

export const Name = humanText(120, { examples: ['Europe'] });

/** Of the goods that an option ships. */
export const ProfileOfGoods = nullable(
  Type.String({ description: 'Code of the profile; null for the default profile', examples: ['bulky'] }),
);

const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });

export const PickupAddress = object(
  {
    line1: text(200, '12 Rue des Lilas'),
    line2: nullable(text(200, 'Third floor')),
    city: text(100, 'Lyon'),
    province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
    postalCode: nullable(text(20, '69003')),
    country: Country,
  },
  { $id: 'PickupAddress' },
);
export type PickupAddress = Static<typeof PickupAddress>;

export const ShippingPickupLocation = object(
  {
    id: Type.String({ examples: ['store'] }),
    name: Type.String({ examples: ['Our store in Lyon'] }),
    address: PickupAddress,
  },
  { $id: 'ShippingPickupLocation' },
);
