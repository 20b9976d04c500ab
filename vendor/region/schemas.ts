/**
 * Shapes of regions and countries.
 */
import {
  Country as CountryCode,
  Currency,
  changeOf,
  DateTime,
  externalFields,
  integrationPageOf,
  integrationQuery,
  newExternalFields,
  object,
  pageOf,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';

const fields = {
  name: Type.String({ minLength: 1, maxLength: 120, examples: ['Europe'] }),
  currency: Currency,
  taxInclusive: Type.Boolean({ description: 'Whether prices in this region hold their tax already' }),
  countries: Type.Array(CountryCode, {
    maxItems: 300,
    uniqueItems: true,
    description: 'ISO 3166-1 alpha-2; a country belongs to one region at most',
    examples: [['DE', 'FR']],
  }),
};

export const Region = object({ id: Uuid, ...fields }, { $id: 'Region' });
export const RegionPage = pageOf(Region, 'RegionPage');

export const AdminRegion = object(
  { ...Region.properties, ...externalFields, createdAt: DateTime, updatedAt: DateTime },
  { $id: 'AdminRegion' },
);
export const AdminRegionPage = integrationPageOf(AdminRegion, 'AdminRegionPage');

export const AdminRegionQuery = integrationQuery();

export const CreateRegion = object(
  {
    name: fields.name,
    currency: fields.currency,
    taxInclusive: Type.Optional(fields.taxInclusive),
    countries: Type.Optional(fields.countries),
    ...newExternalFields,
  },
  { $id: 'CreateRegion' },
);
export type CreateRegion = Static<typeof CreateRegion>;

export const ChangeRegion = changeOf({ ...fields, ...externalFields }, { $id: 'ChangeRegion' });
export type ChangeRegion = Static<typeof ChangeRegion>;

export const Country = object(
  { code: CountryCode, name: Type.String({ description: 'In English', examples: ['Germany'] }), regionId: Uuid },
  { $id: 'Country' },
);
export type Country = Static<typeof Country>;
export const CountryList = object({ items: Type.Array(Country) }, { $id: 'CountryList' });
