/**
 * Schemas of variants that staff send, and of lists of them.
 */
import {
  Country,
  changeOf,
  externalFields,
  integrationPageOf,
  integrationQuery,
  nullable,
  object,
  type Static,
  Type,
  Uuid,
} from '@carton/runtime';
import { maxOptions } from '../options/schemas.ts';
import { AdminVariant, ChosenOption } from '../reads/schemas.ts';
import { Barcode, dimensionFields, HsCode, RequiresShipping, Sku, Title, Weight } from '../schemas.ts';

/** Variants of one product. There is always at least one, because variants are what is sold. */
export const maxVariants = 250;

export const AdminVariantPage = integrationPageOf(AdminVariant, 'AdminVariantPage');

export const AdminVariantQuery = integrationQuery({
  sku: Type.Optional(Sku),
  barcode: Type.Optional(Barcode),
  productId: Type.Optional(Uuid),
});
export type AdminVariantQuery = Static<typeof AdminVariantQuery>;

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
