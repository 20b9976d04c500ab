/**
 * Schemas of product rules.
 */
import { object, oneOf, type Static, Type } from '@carton/runtime';

/** Text is compared as tags and SKUs are (`foldCase`). `sku` and `option_value` hold if they hold for one of the variants. */
export const ProductCondition = object(
  {
    field: oneOf(['title', 'handle', 'sku', 'option_value'], { examples: ['title'] }),
    operator: oneOf(['equals', 'contains', 'starts_with'], { examples: ['contains'] }),
    value: Type.String({ minLength: 1, maxLength: 200, examples: ['linen'] }),
  },
  { $id: 'ProductCondition' },
);
export type ProductCondition = Static<typeof ProductCondition>;

export const ProductRule = object(
  {
    match: oneOf(['all', 'any'], { description: 'Whether all conditions must hold, or one of them' }),
    conditions: Type.Array(ProductCondition, { minItems: 1, maxItems: 20 }),
  },
  { $id: 'ProductRule' },
);
export type ProductRule = Static<typeof ProductRule>;
