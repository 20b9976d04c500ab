/**
 * Schemas of products and their parts as responses show them, to shoppers and to staff.
 */
import { weightUnits } from '@carton/core';
import { Media } from '@carton/media';
import {
  Country,
  DateTime,
  externalFields,
  Handle,
  Money,
  nullable,
  object,
  oneOf,
  richText,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';
import { scheduleFields } from '../schedule/schemas.ts';
import {
  Barcode,
  dimensionFields,
  HsCode,
  OptionName,
  OptionValue,
  productDetails,
  quantityFields,
  RequiresShipping,
  ShippingProfileCode,
  Sku,
  Status,
  TaxCategoryCode,
  Title,
  Weight,
} from '../schemas.ts';

const Description = richText('<p>Woven in <b>Portugal</b>.</p>');

const DisplayWeight = object(
  { value: Type.Number({ minimum: 0, examples: [0.24] }), unit: oneOf(weightUnits) },
  { description: "The weight in the store's `weightUnit`, rounded to thousandths" },
);

const ProductOption = object(
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

export const variantIds = Type.Array(Uuid, {
  maxItems: 250,
  uniqueItems: true,
  description: 'The variants that it shows; empty for all',
  examples: [[]],
});

export const ProductMedia = object({ ...Media.properties, variantIds }, { $id: 'ProductMedia' });
export type ProductMedia = Static<typeof ProductMedia>;

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
