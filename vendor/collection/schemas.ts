/**
 * Shapes of collections.
 */
import { ProductPage, ProductRule, wantedShown } from '@carton/product';
import {
  changeOf,
  DateTime,
  externalFields,
  Handle,
  integrationPageOf,
  integrationQuery,
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

/** Most products a collection made by hand may hold. */
export const mostProducts = 1000;

const Title = Type.String({ minLength: 1, maxLength: 200, examples: ['Summer'] });
const Description = Type.String({ maxLength: 20_000, examples: ['Light and airy.'] });
const ProductIds = Type.Array(Uuid, {
  maxItems: mostProducts,
  uniqueItems: true,
  description: 'The products of a collection made by hand, in their order',
});

export const Collection = object(
  { id: Uuid, handle: Handle, title: Title, description: Description },
  { $id: 'Collection' },
);
export const CollectionPage = pageOf(Collection, 'CollectionPage');

/** A collection with one page of its products. */
export const CollectionProducts = object(
  { ...Collection.properties, products: ProductPage },
  { $id: 'CollectionProducts' },
);
export const CollectionQuery = pageQuery(wantedShown);
export type CollectionQuery = Static<typeof CollectionQuery>;

export const AdminCollection = object(
  {
    ...Collection.properties,
    kind: oneOf(['manual', 'rule'], { description: 'Made by hand, or filled by its rule' }),
    rule: nullable(ProductRule),
    ...externalFields,
    createdAt: DateTime,
    updatedAt: DateTime,
  },
  { $id: 'AdminCollection' },
);
export const AdminCollectionPage = integrationPageOf(AdminCollection, 'AdminCollectionPage');
export const AdminCollectionQuery = integrationQuery();

/** A collection as staff work on it: with the ids of its products; of a rule's collection, none. */
export const AdminCollectionDetail = object(
  { ...AdminCollection.properties, productIds: ProductIds },
  { $id: 'AdminCollectionDetail' },
);
export type AdminCollectionDetail = Static<typeof AdminCollectionDetail>;

export const CreateCollection = object(
  {
    title: Title,
    handle: Type.Optional({ ...Handle, description: 'Made from the title unless told' }),
    description: Type.Optional(Description),
    rule: Type.Optional(ProductRule),
    productIds: Type.Optional(ProductIds),
    ...newExternalFields,
  },
  { $id: 'CreateCollection' },
);
export type CreateCollection = Static<typeof CreateCollection>;

export const ChangeCollection = changeOf(
  { title: Title, handle: Handle, description: Description, rule: ProductRule, ...externalFields },
  { $id: 'ChangeCollection' },
);
export type ChangeCollection = Static<typeof ChangeCollection>;

export const SetCollectionProducts = object({ productIds: ProductIds }, { $id: 'SetCollectionProducts' });
