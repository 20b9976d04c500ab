/**
 * Schemas of regions and countries.
 */
import { Country as CountryCode, Currency, object, pageOf, type Static, shapesOf, Type, Uuid } from '@carton/runtime';

const fields = {
  name: Type.String({ minLength: 1, maxLength: 120, examples: ['Europe'] }),
  currency: Currency,
  taxInclusive: Type.Boolean({ default: false, description: 'Whether prices in this region include tax' }),
  countries: Type.Array(CountryCode, {
    default: [],
    maxItems: 300,
    uniqueItems: true,
    description: 'ISO 3166-1 alpha-2; a country belongs to at most one region',
    examples: [['DE', 'FR']],
  }),
};

export const shapes = shapesOf({ name: 'Region', itemName: 'AdminRegion', fields });
export type RegionRow = Static<typeof shapes.Item>;
export type CreateRegion = Static<typeof shapes.Create>;
export type ChangeRegion = Static<typeof shapes.Change>;

/** A region as shown to shoppers. */
export const Region = object({ id: Uuid, ...fields }, { $id: 'Region' });
export const RegionPage = pageOf(Region, 'RegionPage');

export const Country = object(
  { code: CountryCode, name: Type.String({ description: 'In English', examples: ['Germany'] }), regionId: Uuid },
  { $id: 'Country' },
);
export type Country = Static<typeof Country>;
export const CountryList = object({ items: Type.Array(Country) }, { $id: 'CountryList' });
