/**
 * Shapes of products, options and variants, as shoppers and as staff see them.
 */
import { weightUnits } from '@carton/core';
import {
  Country,
  Currency,
  changeOf,
  DateTime,
  externalFields,
  Handle,
  integrationPageOf,
  integrationQuery,
  Locale,
  Money,
  newExternalFields,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';

/** Most variants a product may have; a product without any is not sold, so there is always one. */
export const maxVariants = 250;
export const maxOptions = 5;
export const maxValues = 100;

export const statuses = ['draft', 'published', 'archived'] as const;
export type ProductStatus = (typeof statuses)[number];
const Status = oneOf(statuses, {
  description: 'Only published products are seen by shoppers',
  examples: ['published'],
});
const Title = Type.String({ minLength: 1, maxLength: 200, examples: ['Linen shirt'] });
const Description = Type.String({ maxLength: 20_000, examples: ['Woven in Portugal.'] });
const OptionName = Type.String({ minLength: 1, maxLength: 60, examples: ['Size'] });
const OptionValue = Type.String({ minLength: 1, maxLength: 120, examples: ['M'] });
const Sku = Type.String({ minLength: 1, maxLength: 100, examples: ['LINEN-M'] });
const Barcode = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'GTIN, EAN, UPC or ISBN',
  examples: ['4006381333931'],
});
const Weight = Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'Grams', examples: [240] });
const DisplayWeight = object(
  { value: Type.Number({ minimum: 0, examples: [0.24] }), unit: oneOf(weightUnits) },
  { description: "The weight in the unit of the store's settings, rounded to thousandths" },
);
const HsCode = Type.String({
  pattern: '^[0-9]{6,10}$',
  maxLength: 10,
  description: 'Harmonized System code, for customs',
  examples: ['620520'],
});

/** Which price to answer: of a currency, or of a region. */
export const priceParameters = {
  currency: Type.Optional({ ...Currency, description: "Currency of the prices; the store's own unless told" }),
  regionId: Type.Optional({ ...Uuid, description: 'Answer the prices of this region' }),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9999, description: 'Answer what one piece costs whoever buys so many' }),
  ),
};

/** What a storefront asks for: which price, and in which language. */
export const viewParameters = {
  ...priceParameters,
  locale: Type.Optional({
    ...Locale,
    description: "Language of the texts; else what Accept-Language prefers, and what has none is in the store's own",
  }),
};
export const ViewQuery = object(viewParameters);

export const ProductOption = object(
  { id: Uuid, name: OptionName, values: Type.Array(object({ id: Uuid, value: OptionValue })) },
  { $id: 'ProductOption' },
);

/** A value chosen of an option: `{ name: "Size", value: "M" }`. */
export const ChosenOption = object({ name: OptionName, value: OptionValue }, { $id: 'ChosenOption' });
export type ChosenOption = Static<typeof ChosenOption>;

export const Variant = object(
  {
    id: Uuid,
    productId: Uuid,
    title: Title,
    sku: nullable(Sku),
    barcode: nullable(Barcode),
    weight: nullable(Weight),
    displayWeight: nullable(DisplayWeight),
    options: Type.Array(ChosenOption),
    price: nullable(Money),
    /** What it costs otherwise, while a sale price beats that. */
    compareAtPrice: nullable(Money),
  },
  { $id: 'Variant' },
);
export type Variant = Static<typeof Variant>;

export const Product = object(
  {
    id: Uuid,
    handle: Handle,
    title: Title,
    description: Description,
    options: Type.Array(ProductOption),
    variants: Type.Array(Variant),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;
export const ProductPage = pageOf(Product, 'ProductPage');

export const AdminVariant = object(
  {
    ...Variant.properties,
    position: Type.Integer(),
    hsCode: nullable(HsCode),
    originCountry: nullable(Country),
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'AdminVariant' },
);
export type AdminVariant = Static<typeof AdminVariant>;
export const AdminVariantPage = integrationPageOf(AdminVariant, 'AdminVariantPage');

export const AdminProduct = object(
  { ...Product.properties, status: Status, ...externalFields, variants: Type.Array(AdminVariant) },
  { $id: 'AdminProduct' },
);
export type AdminProduct = Static<typeof AdminProduct>;
export const AdminProductPage = integrationPageOf(AdminProduct, 'AdminProductPage');

const TitleText = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Finds titles with this text at the beginning of a word, in capitals or not: `shirt bl` finds "Linen shirt blue". ' +
    'Where words are written without spaces (Chinese, Japanese, Korean, Thai), it finds the text anywhere',
  examples: ['linen'],
});

export const ProductQuery = pageQuery({
  ...viewParameters,
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  sort: oneOf(['newest', 'oldest', 'title'], { default: 'newest' }),
});
export type ProductQuery = Static<typeof ProductQuery>;

export const AdminProductQuery = integrationQuery({
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  status: Type.Optional(Status),
});
export type AdminProductQuery = Static<typeof AdminProductQuery>;

export const AdminVariantQuery = integrationQuery({
  sku: Type.Optional(Sku),
  barcode: Type.Optional(Barcode),
  productId: Type.Optional(Uuid),
});
export type AdminVariantQuery = Static<typeof AdminVariantQuery>;

/** Each option with its values in order; the body that adds one. */
export const CreateProductOption = object(
  { name: OptionName, values: Type.Array(OptionValue, { minItems: 1, maxItems: maxValues }) },
  { $id: 'CreateProductOption' },
);
export type CreateProductOption = Static<typeof CreateProductOption>;

export const ChangeProductOption = changeOf(
  {
    name: OptionName,
    values: Type.Array(object({ id: Type.Optional(Uuid), value: OptionValue }), {
      minItems: 1,
      maxItems: maxValues,
      description: 'All values in their new order: with `id` one that is kept or renamed, without a new one',
    }),
  },
  { $id: 'ChangeProductOption' },
);
export type ChangeProductOption = Static<typeof ChangeProductOption>;

const variantFields = {
  title: Title,
  sku: nullable(Sku),
  barcode: nullable(Barcode),
  weight: nullable(Weight),
  hsCode: nullable(HsCode),
  originCountry: nullable(Country),
  ...externalFields,
  options: Type.Array(ChosenOption, { maxItems: maxOptions, description: 'One value of each option of the product' }),
};

/** The body that adds a variant. Without a title, its chosen values are its title. */
export const CreateVariant = object(Type.Partial(Type.Object(variantFields)).properties, { $id: 'CreateVariant' });
export type CreateVariant = Static<typeof CreateVariant>;

export const ChangeVariant = changeOf(
  { ...variantFields, position: Type.Integer({ minimum: 0, maximum: 100_000 }) },
  { $id: 'ChangeVariant' },
);
export type ChangeVariant = Static<typeof ChangeVariant>;

export const CreateProduct = object(
  {
    title: Title,
    handle: Type.Optional({ ...Handle, description: 'Made from the title unless told' }),
    description: Type.Optional(Description),
    status: Type.Optional(Status),
    ...newExternalFields,
    options: Type.Optional(Type.Array(CreateProductOption, { maxItems: maxOptions })),
    variants: Type.Optional(
      Type.Array(CreateVariant, {
        minItems: 1,
        maxItems: maxVariants,
        description: 'Left out, one for each combination of the option values',
      }),
    ),
  },
  { $id: 'CreateProduct' },
);
export type CreateProduct = Static<typeof CreateProduct>;

export const ChangeProduct = changeOf(
  { title: Title, handle: Handle, description: Description, status: Status, ...externalFields },
  { $id: 'ChangeProduct' },
);
export type ChangeProduct = Static<typeof ChangeProduct>;

export const DuplicateProduct = object(
  { title: Type.Optional(Title), handle: Type.Optional(Handle) },
  { $id: 'DuplicateProduct' },
);
export type DuplicateProduct = Static<typeof DuplicateProduct>;
