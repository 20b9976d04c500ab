/**
 * Details of products and variants that shoppers and search engines see: brand, type, attributes, texts for search
 * engines, and dimensions.
 */
import { distinctTags, humanText, nullable, object, type Static, Type } from '@carton/runtime';
import { Tags } from './tags/service.ts';

/** The maximum number of attributes of a product. */
export const maxAttributes = 50;

export const Brand = humanText(120, { examples: ['Alder'] });
export const ProductType = humanText(120, {
  description: 'The kind of product',
  examples: ['Shirt'],
});
const Attribute = object(
  {
    name: humanText(120, { examples: ['Material'] }),
    value: humanText(500, { examples: ['Linen'] }),
  },
  { $id: 'ProductAttribute' },
);

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

/** The details of a product, without those that are not set. */
export function detailsOf(product: Partial<ProductDetails>): ProductDetails {
  const { brand = null, type = null, tags = [], attributes = [], seoTitle = null, seoDescription = null } = product;
  return { brand, type, tags: distinctTags(tags), attributes, seoTitle, seoDescription };
}

const Dimension = Type.Integer({ minimum: 0, maximum: 100_000, description: 'Millimetres', examples: [320] });
export const dimensionFields = { length: nullable(Dimension), width: nullable(Dimension), height: nullable(Dimension) };
const Dimensions = Type.Object(dimensionFields);
export type Dimensions = Static<typeof Dimensions>;

/** The dimensions of a variant, null where not set. */
export function dimensionsOf({ length = null, width = null, height = null }: Partial<Dimensions>): Dimensions {
  return { length, width, height };
}
