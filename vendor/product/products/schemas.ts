/**
 * Schemas of products that staff send.
 */
import {
  changeOf,
  externalFields,
  Handle,
  maxDescription,
  newExternalFields,
  newRichText,
  nullable,
  object,
  type Static,
  Type,
  withOptions,
} from '@carton/runtime';
import { CreateProductOption, maxOptions } from '../options/schemas.ts';
import { scheduleFields } from '../schedule/schemas.ts';
import { productDetails, quantityFields, ShippingProfileCode, Status, TaxCategoryCode, Title } from '../schemas.ts';
import { CreateVariant, maxVariants } from '../variants/schemas.ts';

const NewDescription = newRichText(maxDescription, '<p>Woven in <b>Portugal</b>.</p>');

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
