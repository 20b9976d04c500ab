/**
 * Schemas of the options of a product, which staff send.
 */
import { changeOf, object, type Static, Type, trimmed, Uuid } from '@carton/runtime';
import { OptionName, OptionValue } from '../schemas.ts';

export const maxOptions = 5;
const maxValues = 100;

const [NewOptionName, NewOptionValue] = [trimmed(OptionName), trimmed(OptionValue)];

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
