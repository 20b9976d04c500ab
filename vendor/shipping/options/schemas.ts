/**
 * Schemas of zones, profiles and options, as staff manage them.
 */
import { ShippingProfileCode } from '@carton/product';
import {
  Amount,
  Country,
  Currency,
  humanText,
  integrationQuery,
  Money,
  nullable,
  object,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

const Name = humanText(120, { examples: ['Europe'] });

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

export const profileShapes = shapesOf({
  name: 'ShippingProfile',
  immutable: {
    code: withOptions(ShippingProfileCode, { description: 'Products refer to it', examples: ['bulky'] }),
  },
  fields: { name: withOptions(Name, { examples: ['Bulky goods'] }) },
});
export type ShippingProfile = Static<typeof profileShapes.Item>;
export type CreateShippingProfile = Static<typeof profileShapes.Create>;
export type ChangeShippingProfile = Static<typeof profileShapes.Change>;
export const ShippingProfileQuery = integrationQuery({ code: Type.Optional(ShippingProfileCode) });

const bound = (description: string, example: number) =>
  withOptions(Type.Integer({ minimum: 0, maximum: 10_000_000_000 }), { description, examples: [example] });
const From = bound('Lower bound, included: grams for `weight`, minor units for `price`, otherwise 0', 0);
const To = nullable(bound('Upper bound, excluded; null for none', 2000));

const Rates = Type.Array(object({ currency: Currency, from: From, to: To, amount: Amount }, { $id: 'ShippingRate' }), {
  maxItems: 500,
});
const NewRates = Type.Array(
  object(
    {
      currency: Currency,
      from: Type.Optional(withOptions(From, { default: 0 })),
      to: Type.Optional(withOptions(To, { default: null })),
      amount: Amount,
    },
    { $id: 'NewShippingRate' },
  ),
  {
    maxItems: 500,
    description:
      'For `weight` and `price` the tiers of each currency, which must not overlap; outside of them the option is not offered. For `flat` and `pickup` one rate for each currency; for `carrier` one or none',
  },
);

export const optionShapes = shapesOf({
  name: 'ShippingOption',
  fields: {
    code: withOptions(ShippingProfileCode, {
      description: 'Names the charge in carts and orders',
      examples: ['standard'],
    }),
    name: withOptions(Name, { description: 'Shown to shoppers', examples: ['Standard shipping'] }),
    zoneId: withOptions(nullable(Uuid), {
      default: null,
      description: 'Offered to addresses whose most specific zone it is; null for all addresses, also unknown ones',
    }),
    profile: withOptions(nullable(ShippingProfileCode), {
      default: null,
      description: 'Code of the profile of the goods that it ships; null for the default profile',
    }),
    type: Type.String({
      minLength: 1,
      maxLength: 60,
      description:
        '`flat`: one price. `weight`, `price`: tiers by the weight or the discounted price of the goods. `pickup`: the shopper picks the goods up. `carrier`: the price of a carrier; its own rates apply while that is not known. Packages may add types',
      examples: ['flat'],
    }),
    carrierService: nullable(
      Type.String({
        minLength: 1,
        maxLength: 120,
        pattern: '^\\S+ \\S',
        default: null,
        description: 'For `carrier`: the carrier and its service, as the carrier service names them',
        examples: ['USPS Priority'],
      }),
    ),
    freeFrom: Type.Array(Money, {
      default: [],
      maxItems: 100,
      description: 'Free from these discounted prices of the goods on, one for each currency',
      examples: [[{ amount: 5000, currency: 'EUR' }]],
    }),
  },
  readOnly: { rates: Rates },
  createOnly: { rates: withOptions(NewRates, { default: [] }) },
  updateOnly: { rates: NewRates },
});
export type ShippingOption = Static<typeof optionShapes.Item>;
export type CreateShippingOption = Static<typeof optionShapes.Create>;
export type ChangeShippingOption = Static<typeof optionShapes.Change>;
export type ShippingRate = ShippingOption['rates'][number];
export const ShippingOptionQuery = integrationQuery({
  zoneId: Type.Optional(Uuid),
  profile: Type.Optional(ShippingProfileCode),
});
