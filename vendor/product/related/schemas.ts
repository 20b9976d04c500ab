/**
 * Schemas of related products.
 */
import { object, oneOf, type Static, Type, Uuid, withOptions } from '@carton/runtime';
import { Product } from '../reads/schemas.ts';
import { viewParameters } from '../viewers/schemas.ts';

const maximumRelated = 50;

export const kinds = ['related', 'upsell', 'cross_sell'] as const;
const Kind = oneOf(kinds, {
  description: '`upsell`: in place of the product. `cross_sell`: in addition to it',
  examples: ['upsell'],
});

const RelatedProduct = object({ productId: Uuid, kind: Kind }, { $id: 'RelatedProduct' });
export const RelatedProducts = object(
  { items: Type.Array(RelatedProduct, { maxItems: maximumRelated, description: 'In order' }) },
  { $id: 'RelatedProducts' },
);
export type RelatedProducts = Static<typeof RelatedProducts>;

export const SetRelatedProducts = object(
  {
    items: Type.Array(object({ productId: Uuid, kind: withOptions(Kind, { default: 'related' }) }), {
      maxItems: maximumRelated,
      description: 'All related products in order, each once',
    }),
  },
  { $id: 'SetRelatedProducts' },
);
export type SetRelatedProducts = Static<typeof SetRelatedProducts>;

/** Related products as shoppers see them. */
export const RelatedProductList = object(
  { items: Type.Array(object({ kind: Kind, product: Product })) },
  { $id: 'RelatedProductList' },
);
export type RelatedProductList = Static<typeof RelatedProductList>;

export const RelatedQuery = object({
  ...viewParameters,
  kind: Type.Optional(Kind),
  limit: Type.Integer({ minimum: 1, maximum: maximumRelated, default: 20, description: 'Most products to return' }),
});
export type RelatedQuery = Static<typeof RelatedQuery>;
