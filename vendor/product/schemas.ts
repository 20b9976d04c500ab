/**
 * Schemas of products, options and variants, for shoppers and for staff.
 */
import { weightUnits } from '@carton/core';
import {
  Country,
  Currency,
  changeOf,
  DateTime,
  externalFields,
  Handle,
  humanText,
  integrationPageOf,
  integrationQuery,
  Locale,
  Money,
  maxDescription,
  newExternalFields,
  newRichText,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  richText,
  type Static,
  type TSchema,
  Type,
  trimmed,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { Brand, dimensionFields, ProductType, productDetails } from './details.ts';
import { ProductMedia } from './media/store.ts';
import { scheduleFields } from './schedule/service.ts';
import { TagParameter } from './tags/service.ts';

/** Variants of one product. There is always at least one, because variants are what is sold. */
export const maxVariants = 250;
export const maxOptions = 5;
export const maxValues = 100;

export const statuses = ['draft', 'published', 'archived'] as const;
export type ProductStatus = (typeof statuses)[number];
const Status = oneOf(statuses, {
  description: 'Shoppers see only published products',
  examples: ['published'],
});
const Title = humanText(200, { examples: ['Linen shirt'] });
const Description = richText('<p>Woven in <b>Portugal</b>.</p>');
const NewDescription = newRichText(maxDescription, '<p>Woven in <b>Portugal</b>.</p>');
const OptionName = Type.String({ minLength: 1, maxLength: 60, examples: ['Size'] });
const OptionValue = Type.String({ minLength: 1, maxLength: 120, examples: ['M'] });
const [NewOptionName, NewOptionValue] = [trimmed(OptionName), trimmed(OptionValue)];
const Sku = trimmed(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Compared without regard to case and width',
    examples: ['LINEN-M'],
  }),
);
const Barcode = trimmed(
  Type.String({
    minLength: 1,
    maxLength: 50,
    description: 'GTIN, EAN, UPC or ISBN',
    examples: ['4006381333931'],
  }),
);
const Weight = Type.Integer({ minimum: 0, maximum: 10_000_000, description: 'Grams', examples: [240] });
const DisplayWeight = object(
  { value: Type.Number({ minimum: 0, examples: [0.24] }), unit: oneOf(weightUnits) },
  { description: "The weight in the store's `weightUnit`, rounded to thousandths" },
);
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
const quantityFields = {
  minQuantity: withOptions(OrderedQuantity, { description: 'Least quantity of a variant in an order' }),
  maxQuantity: nullable(
    withOptions(OrderedQuantity, { description: 'Largest quantity of a variant in an order; null for no limit' }),
  ),
  quantityStep: withOptions(OrderedQuantity, { description: 'Variants are ordered in multiples of this quantity' }),
};
const HsCode = Type.String({
  pattern: '^[0-9]{6,10}$',
  maxLength: 10,
  description: 'Harmonized System code, for customs',
  examples: ['620520'],
});

/** Query parameters that select a price. */
export const priceParameters = {
  currency: Type.Optional(
    withOptions(Currency, { description: "Currency of the prices. Default: that of the region, else the store's" }),
  ),
  regionId: Type.Optional(withOptions(Uuid, { description: 'Region of the prices' })),
  quantity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9999, description: 'Return the unit price for this quantity' }),
  ),
};

/** Query parameters of storefront routes: price and language. */
export const viewParameters = {
  ...priceParameters,
  locale: Type.Optional(
    withOptions(Locale, {
      description:
        "Language of the texts. Default: by Accept-Language. Texts without a translation are in the store's language",
    }),
  ),
};
export const ViewQuery = object(viewParameters);

export const ProductOption = object(
  { id: Uuid, name: OptionName, values: Type.Array(object({ id: Uuid, value: OptionValue })) },
  { $id: 'ProductOption' },
);

/** A chosen value of an option: `{ name: "Size", value: "M" }`. */
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
    ...dimensionFields,
    options: Type.Array(ChosenOption),
    price: nullable(Money),
    /** The regular price while a lower sale price applies. */
    compareAtPrice: nullable(Money),
    lowestPriorPrice: withOptions(nullable(Money), {
      description:
        'The lowest price of the 30 days before the present sale price, while `compareAtPrice` is shown; null if there ' +
        'was none',
    }),
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
    ...productDetails,
    ...quantityFields,
    options: Type.Array(ProductOption),
    variants: Type.Array(Variant),
    media: Type.Array(ProductMedia, {
      description: 'In their order; the first picture represents the product in lists',
    }),
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'Product' },
);
export type Product = Static<typeof Product>;
export const ProductPage = pageOf(Product, 'ProductPage');

const RequiresShipping = Type.Boolean({
  description:
    'False for what reaches the shopper without a parcel, such as a download or a service: it needs no shipping option, ' +
    'no shipping address and no fulfillment. True unless it is set',
  examples: [true],
});

export const AdminVariant = object(
  {
    ...Variant.properties,
    position: Type.Integer(),
    hsCode: nullable(HsCode),
    originCountry: nullable(Country),
    requiresShipping: RequiresShipping,
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'AdminVariant' },
);
export type AdminVariant = Static<typeof AdminVariant>;
export const AdminVariantPage = integrationPageOf(AdminVariant, 'AdminVariantPage');

export const AdminProduct = object(
  {
    ...Product.properties,
    status: Status,
    ...scheduleFields,
    taxCategory: nullable(TaxCategoryCode),
    shippingProfile: nullable(ShippingProfileCode),
    ...externalFields,
    variants: Type.Array(AdminVariant),
  },
  { $id: 'AdminProduct' },
);
export type AdminProduct = Static<typeof AdminProduct>;
export const AdminProductPage = integrationPageOf(AdminProduct, 'AdminProductPage');

const TitleText = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Finds products whose title or SKUs have words that begin with each word of this text, ignoring case, accents and ' +
    'apostrophes: `blue lin` finds "Linen shirt blue", `creme` "Crème brûlée". In scripts without spaces between ' +
    'words (Chinese, Japanese, Thai), and in Korean, it finds the text anywhere',
  examples: ['linen'],
});

const productParameters = {
  ...viewParameters,
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  brand: Type.Optional(Brand),
  type: Type.Optional(ProductType),
};
const sortNames = ['newest', 'oldest', 'title'] as const;
export const ProductQuery = pageQuery({ ...productParameters, sort: oneOf(sortNames, { default: 'newest' }) });
export type ProductQuery = Static<typeof ProductQuery>;
/** The query in a box whose packages contribute filters and sorts. */
export function productQueryWith(
  filters: Record<string, TSchema>,
  { names, description }: { names: readonly string[]; description: string },
) {
  const sort = oneOf([...sortNames, ...names], { default: 'newest', ...(description && { description }) });
  return pageQuery({ ...productParameters, ...filters, sort });
}

export const AdminProductQuery = integrationQuery({
  q: Type.Optional(TitleText),
  handle: Type.Optional(Handle),
  brand: Type.Optional(Brand),
  type: Type.Optional(ProductType),
  status: Type.Optional(Status),
  tag: Type.Optional(TagParameter),
});
export type AdminProductQuery = Static<typeof AdminProductQuery>;

export const AdminVariantQuery = integrationQuery({
  sku: Type.Optional(Sku),
  barcode: Type.Optional(Barcode),
  productId: Type.Optional(Uuid),
});
export type AdminVariantQuery = Static<typeof AdminVariantQuery>;

/** The body that adds an option, with its values in order. */
export const CreateProductOption = object(
  { name: NewOptionName, values: Type.Array(NewOptionValue, { minItems: 1, maxItems: maxValues }) },
  { $id: 'CreateProductOption' },
);
export type CreateProductOption = Static<typeof CreateProductOption>;

export const ChangeProductOption = changeOf(
  {
    name: NewOptionName,
    values: Type.Array(object({ id: Type.Optional(Uuid), value: NewOptionValue }), {
      minItems: 1,
      maxItems: maxValues,
      description: 'All values in their new order: an existing one, possibly renamed, with its `id`, a new one without',
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
  ...dimensionFields,
  hsCode: nullable(HsCode),
  originCountry: nullable(Country),
  requiresShipping: RequiresShipping,
  ...externalFields,
  options: Type.Array(ChosenOption, { maxItems: maxOptions, description: 'One value of each option of the product' }),
};

/** The body that adds a variant. The default title is made from its values. */
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
    handle: Type.Optional(withOptions(Handle, { description: 'Default: made from the title' })),
    description: Type.Optional(NewDescription),
    status: Type.Optional(Status),
    taxCategory: Type.Optional(nullable(TaxCategoryCode)),
    shippingProfile: Type.Optional(nullable(ShippingProfileCode)),
    ...Type.Partial(Type.Object({ ...productDetails, ...quantityFields, ...scheduleFields })).properties,
    ...newExternalFields,
    options: Type.Optional(Type.Array(CreateProductOption, { maxItems: maxOptions })),
    variants: Type.Optional(
      Type.Array(CreateVariant, {
        minItems: 1,
        maxItems: maxVariants,
        description: 'Default: one for each combination of the option values',
      }),
    ),
  },
  { $id: 'CreateProduct' },
);
export type CreateProduct = Static<typeof CreateProduct>;

export const ChangeProduct = changeOf(
  {
    title: Title,
    handle: Handle,
    description: NewDescription,
    status: Status,
    taxCategory: nullable(TaxCategoryCode),
    shippingProfile: nullable(ShippingProfileCode),
    ...productDetails,
    ...quantityFields,
    ...scheduleFields,
    ...externalFields,
  },
  { $id: 'ChangeProduct' },
);
export type ChangeProduct = Static<typeof ChangeProduct>;

export const DuplicateProduct = object(
  { title: Type.Optional(Title), handle: Type.Optional(Handle) },
  { $id: 'DuplicateProduct' },
);
export type DuplicateProduct = Static<typeof DuplicateProduct>;
