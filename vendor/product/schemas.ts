/**
 * Fields of products, options and variants that schemas of several subjects share.
 */
import {
  humanLines,
  humanText,
  nullable,
  object,
  oneOf,
  type Static,
  Type,
  trimmed,
  withOptions,
} from '@carton/runtime';
import { Tags } from './tags/schemas.ts';

export const statuses = ['draft', 'published', 'archived'] as const;
export type ProductStatus = (typeof statuses)[number];
export const Status = oneOf(statuses, {
  description: 'Shoppers see only published products',
  examples: ['published'],
});
export const Title = humanText(200, { examples: ['Linen shirt'] });

export const OptionName = Type.String({ minLength: 1, maxLength: 60, examples: ['Size'] });
export const OptionValue = Type.String({ minLength: 1, maxLength: 120, examples: ['M'] });

export const Sku = trimmed(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Compared without regard to case and width',
    examples: ['LINEN-M'],
  }),
);
export const Barcode = trimmed(
  Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'GTIN, EAN, UPC or ISBN',
    examples: ['4006381333931'],
  }),
);
export const Weight = Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'Grams', examples: [240] });

export const TaxCategoryCode = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  minLength: 1,
  maxLength: 60,
  description: 'Code of a tax category. Without one, and for an unknown code, the default category applies',
  examples: ['books'],
});
export const ShippingProfileCode = Type.String({
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  minLength: 1,
  maxLength: 60,
  description: 'Code of a shipping profile. Without one, and for an unknown code, the default profile applies',
  examples: ['bulky'],
});
const OrderedQuantity = Type.Integer({ minimum: 1, maximum: 9999, examples: [1] });
export const quantityFields = {
  minQuantity: withOptions(OrderedQuantity, { description: 'Least quantity of a variant in an order' }),
  maxQuantity: nullable(
    withOptions(OrderedQuantity, { description: 'Largest quantity of a variant in an order; null for no limit' }),
  ),
  quantityStep: withOptions(OrderedQuantity, { description: 'Variants are ordered in multiples of this quantity' }),
};
export const HsCode = Type.String({
  pattern: '^[0-9]{6,10}$',
  maxLength: 10,
  description: 'Harmonized System code, for customs',
  examples: ['620520'],
});

export const RequiresShipping = Type.Boolean({
  description:
    'False for what reaches the shopper without a parcel, such as a download or a service: it needs no shipping option, ' +
    'no shipping address and no fulfillment. True unless it is set',
  examples: [true],
});

export const Brand = humanText(120, { examples: ['Alder'] });
export const ProductType = humanText(120, {
  description: 'The kind of product',
  examples: ['Shirt'],
});
const Attribute = object(
  {
    name: humanText(120, { examples: ['Material'] }),
    value: humanLines(500, { examples: ['Linen'] }),
  },
  { $id: 'ProductAttribute' },
);

/** The maximum number of attributes of a product. */
const maxAttributes = 50;

export const productDetails = {
  brand: nullable(Brand),
  type: nullable(ProductType),
  tags: Tags,
  attributes: Type.Array(Attribute, {
    maxItems: maxAttributes,
    description: 'What shoppers can know of the product, in order. A name may occur several times',
  }),
  seoTitle: nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'For search engines, in place of the title',
      examples: ['Linen shirts from Portugal'],
    }),
  ),
  seoDescription: nullable(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'For search engines, in place of the description',
      examples: ['Shirts of washed linen, woven in Portugal.'],
    }),
  ),
};
const Details = Type.Object(productDetails);
export type ProductDetails = Static<typeof Details>;

const Dimension = Type.Integer({ minimum: 0, maximum: 100_000, description: 'Millimetres', examples: [320] });
export const dimensionFields = { length: nullable(Dimension), width: nullable(Dimension), height: nullable(Dimension) };
const Dimensions = Type.Object(dimensionFields);
export type Dimensions = Static<typeof Dimensions>;
