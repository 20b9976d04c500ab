/**
 * Schemas of regions and countries.
 */
import {
  Country as CountryCode,
  Currency,
  humanText,
  integrationQuery,
  Locale,
  nullable,
  object,
  pageOf,
  pageQuery,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

const fields = {
  name: humanText(120, { examples: ['Europe'] }),
  currency: Currency,
  taxInclusive: Type.Boolean({ default: false, description: 'Whether prices in this region include tax' }),
  shippingTaxInclusive: nullable(
    Type.Boolean({
      default: null,
      description:
        'Whether shipping prices and fees of payment methods in this region include tax; null: as the prices of goods do',
    }),
  ),
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

const countryFilter = {
  country: Type.Optional(withOptions(CountryCode, { description: 'The region that sells to this country' })),
};
export const RegionQuery = pageQuery(countryFilter);
export const AdminRegionQuery = integrationQuery(countryFilter);

export const Province = object(
  {
    code: Type.String({ description: 'ISO 3166-2', examples: ['IT-MI'] }),
    name: Type.String({ description: 'In a language of the country', examples: ['Milano'] }),
    parent: nullable(
      Type.String({ description: 'The province that contains it; null at the top level', examples: ['IT-25'] }),
    ),
  },
  { $id: 'Province' },
);

export const Country = object(
  {
    code: CountryCode,
    name: Type.String({
      description: 'In the language of the request, else in that of the store',
      examples: ['Germany'],
    }),
    regionId: Uuid,
    provinces: Type.Array(Province, { description: 'All levels, by name' }),
  },
  { $id: 'Country' },
);
export type Country = Static<typeof Country>;
export const CountryList = object({ items: Type.Array(Country) }, { $id: 'CountryList' });
export const CountryQuery = object({
  country: Type.Optional(withOptions(CountryCode, { description: 'List only this country' })),
  locale: Type.Optional(
    withOptions(Locale, { description: 'Language of the names. Default: by Accept-Language, else that of the store' }),
  ),
});
export type CountryQuery = Static<typeof CountryQuery>;
