/**
 * Schemas of zones, as staff manage them.
 */
import { Country, integrationQuery, object, type Static, shapesOf, Type, withOptions } from '@carton/runtime';
import { Name } from '../schemas.ts';

const Provinces = Type.Array(Type.String({ minLength: 1, maxLength: 100, pattern: '\\S', examples: ['QC'] }), {
  maxItems: 100,
  description:
    'As in addresses: the part of ISO 3166-2 after the country (`QC`), or a name; any text where the provinces of a country are not known. Case does not matter',
});
const PostalCodes = Type.Array(Type.String({ minLength: 1, maxLength: 30, examples: ['10000-19999'] }), {
  maxItems: 1000,
  description: 'A code (`10115`), a prefix (`EC1*`), or a range of codes with as many digits (`10000-19999`)',
  examples: [['10000-19999', '20*']],
});

const placesOptions = {
  description: 'Each country once. With provinces or postal codes, these parts of it; without, the entire country',
};
const ZonePlaces = Type.Array(
  object({ country: Country, provinces: Provinces, postalCodes: PostalCodes }, { $id: 'ShippingZonePlaces' }),
  placesOptions,
);
const NewZonePlaces = Type.Array(
  object(
    {
      country: Country,
      provinces: Type.Optional(withOptions(Provinces, { default: [] })),
      postalCodes: Type.Optional(withOptions(PostalCodes, { default: [] })),
    },
    { $id: 'NewShippingZonePlaces' },
  ),
  { ...placesOptions, minItems: 1, maxItems: 300 },
);

export const zoneShapes = shapesOf({
  name: 'ShippingZone',
  fields: { name: Name },
  readOnly: { places: ZonePlaces },
  createOnly: { places: NewZonePlaces },
  updateOnly: { places: NewZonePlaces },
});
export type ShippingZone = Static<typeof zoneShapes.Item>;
export type CreateShippingZone = Static<typeof zoneShapes.Create>;
export type ChangeShippingZone = Static<typeof zoneShapes.Change>;
export type NewZonePlaces = CreateShippingZone['places'];
export const ShippingZoneQuery = integrationQuery({});
