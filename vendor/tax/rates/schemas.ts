/**
 * Schemas of tax rates.
 */
import { TaxCategoryCode } from '@carton/product';
import {
  Country,
  humanText,
  integrationQuery,
  nullable,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

const Province = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description:
    'As in addresses: the part of ISO 3166-2 after the country (`QC`), or a name. The rate holds for the provinces that it contains, too, unless they have their own',
  examples: ['QC'],
});

const PostalCode = Type.String({
  minLength: 1,
  maxLength: 30,
  pattern: '\\S',
  description:
    'As in shipping zones: a code, a prefix (`BT*`) or a range (`10000-19999`). The rate holds for the codes that match; of several patterns, the one that fewer codes match counts',
  examples: ['BT*'],
});

export const rateShapes = shapesOf({
  name: 'TaxRate',
  fields: {
    code: withOptions(TaxCategoryCode, { description: 'Names the tax in carts and orders', examples: ['vat'] }),
    name: humanText(120, { description: 'Shown to shoppers', examples: ['VAT'] }),
    rate: Type.Number({ minimum: 0, maximum: 100, description: 'Per cent, with up to five decimals', examples: [19] }),
    country: Country,
    province: withOptions(nullable(Province), { default: null }),
    postalCode: withOptions(nullable(PostalCode), { default: null }),
    categoryId: withOptions(nullable(Uuid), {
      default: null,
      description: 'Null for all categories without a rate of their own in the same place',
    }),
    compound: Type.Boolean({
      default: false,
      description: 'Applies to the price with the other taxes, instead of to the price alone',
    }),
    override: Type.Boolean({
      default: false,
      description:
        'Replaces the rates of what contains its place, instead of adding to them; only for a rate of a province or of postal codes',
    }),
  },
});
export type TaxRate = Static<typeof rateShapes.Item>;
export type CreateTaxRate = Static<typeof rateShapes.Create>;
export type ChangeTaxRate = Static<typeof rateShapes.Change>;

export const TaxRateQuery = integrationQuery({
  country: Type.Optional(Country),
  province: Type.Optional(Province),
  postalCode: Type.Optional(PostalCode),
  categoryId: Type.Optional(Uuid),
});
export type TaxRateQuery = Static<typeof TaxRateQuery>;
