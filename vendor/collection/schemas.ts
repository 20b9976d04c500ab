/**
 * Schemas of collections.
 */
import { ProductPage, ProductRule, viewParameters } from '@carton/product';
import {
  Handle,
  humanText,
  maxDescription,
  newRichText,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  richText,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

/** The maximum number of products that are listed by hand. */
export const maximumProducts = 1000;

const title = humanText(200, { examples: ['Summer'] });
const description = richText('<p>Light and airy.</p>');
const newDescription = newRichText(maxDescription, '<p>Light and airy.</p>');
const ProductIds = Type.Array(Uuid, {
  maxItems: maximumProducts,
  uniqueItems: true,
  description: 'The products in their order; empty for a collection with a rule',
});

export const Collection = object({ id: Uuid, handle: Handle, title, description }, { $id: 'Collection' });
export const CollectionPage = pageOf(Collection, 'CollectionPage');

/** A collection with one page of its products. */
export const CollectionProducts = object(
  { ...Collection.properties, products: ProductPage },
  { $id: 'CollectionProducts' },
);
export const CollectionQuery = pageQuery(viewParameters);
export type CollectionQuery = Static<typeof CollectionQuery>;

export const shapes = shapesOf({
  name: 'Collection',
  itemName: 'AdminCollection',
  fields: { title },
  readOnly: {
    description,
    handle: Handle,
    kind: oneOf(['manual', 'rule'], {
      description: '`manual`: its products are listed by hand; `rule`: its rule selects them',
    }),
    rule: nullable(ProductRule),
  },
  createOnly: {
    handle: Type.Optional(withOptions(Handle, { description: 'Derived from the title by default' })),
    rule: Type.Optional(ProductRule),
    productIds: Type.Optional(ProductIds),
    description: Type.Optional(withOptions(newDescription, { default: '' })),
  },
  updateOnly: { description: newDescription, handle: Handle, rule: ProductRule },
});
export type CollectionRow = Static<typeof shapes.Item>;
export type CreateCollection = Static<typeof shapes.Create>;
export type ChangeCollection = Static<typeof shapes.Change>;

/** A collection with the ids of the products that are listed by hand, for staff. */
export const AdminCollectionDetail = object(
  { ...shapes.Item.properties, productIds: ProductIds },
  { $id: 'AdminCollectionDetail' },
);
export type AdminCollectionDetail = Static<typeof AdminCollectionDetail>;

export const SetCollectionProducts = object({ productIds: ProductIds }, { $id: 'SetCollectionProducts' });
