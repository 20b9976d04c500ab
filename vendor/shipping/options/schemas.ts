/**
 * Schemas of options, as staff manage them.
 */
import { ShippingProfileCode } from '@carton/product';
import {
  Amount,
  Currency,
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
import { Name } from '../schemas.ts';

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
