/**
 * Schemas of categories.
 */
import { ProductPage, viewParameters } from '@carton/product';
import {
  Handle,
  humanText,
  integrationQuery,
  maxDescription,
  newRichText,
  nullable,
  object,
  oneOf,
  pageQuery,
  richText,
  type Static,
  shapesOf,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

/** The maximum number of categories of a store: `GET /categories` returns all of them. */
export const maximumCategories = 5000;
/** The maximum number of levels of the tree. */
export const maximumLevels = 10;
/** The maximum number of products of a category, not counting those of the categories below it. */
export const maximumProducts = 5000;

const Name = humanText(200, { examples: ['Shirts'] });
const Description = richText('<p>For warm days.</p>');
const NewDescription = newRichText(maxDescription, '<p>For warm days.</p>');
const Depth = Type.Integer({
  minimum: 0,
  maximum: maximumLevels - 1,
  description: 'The number of categories above it; 0 at the top',
});
const ParentId = withOptions(nullable(Uuid), {
  description: 'The category above it; null at the top',
  examples: [null],
});
const Position = Type.Integer({
  minimum: 0,
  maximum: maximumCategories,
  description: 'Its place among the categories with the same parent, from 0',
});

const references = { id: Uuid, handle: Handle, name: Name, parentId: ParentId, depth: Depth };

export const CategoryReference = object(references, { $id: 'CategoryReference' });
export const CategoryTree = object(
  {
    items: Type.Array(CategoryReference, {
      maxItems: maximumCategories,
      description: 'All visible categories: each is followed by the categories below it, in their order',
    }),
  },
  { $id: 'CategoryTree' },
);
export const CategoryTreeQuery = object({
  levels: Type.Optional(
    Type.Integer({ minimum: 1, maximum: maximumLevels, description: 'Returns only the upper levels', examples: [2] }),
  ),
});
export type CategoryTreeQuery = Static<typeof CategoryTreeQuery>;

/** A category with what is above and below it, and one page of its products. */
export const Category = object(
  {
    ...references,
    description: Description,
    ancestors: Type.Array(CategoryReference, { description: 'The categories above it, from the top' }),
    children: Type.Array(CategoryReference, { description: 'The visible categories directly below it' }),
    products: ProductPage,
  },
  { $id: 'Category' },
);
export type Category = Static<typeof Category>;
export const CategoryQuery = pageQuery(viewParameters);
export type CategoryQuery = Static<typeof CategoryQuery>;

export const shapes = shapesOf({
  name: 'Category',
  itemName: 'AdminCategory',
  fields: {
    name: Name,
    visible: Type.Boolean({
      default: true,
      description: 'Shoppers see neither a hidden category nor the categories below it',
    }),
    parentId: withOptions(ParentId, { default: null }),
  },
  readOnly: { description: Description, handle: Handle, position: Position, depth: Depth },
  createOnly: {
    handle: Type.Optional(withOptions(Handle, { description: 'Derived from the name by default' })),
    position: Type.Optional(withOptions(Position, { description: 'Default: the last place' })),
    description: Type.Optional(withOptions(NewDescription, { default: '' })),
  },
  updateOnly: { description: NewDescription, handle: Handle, position: Position },
});
export type AdminCategory = Static<typeof shapes.Item>;
/** A category as it is stored. */
export interface CategoryRow extends AdminCategory {
  /** The ids from the top to the category: `/<id>/<id>/`. */
  path: string;
  /** The path of the parent; `/` at the top. */
  parentPath: string;
}
export type CreateCategory = Static<typeof shapes.Create>;
export type ChangeCategory = Static<typeof shapes.Change>;

export const AdminCategoryQuery = integrationQuery({
  handle: Type.Optional(Handle),
  parentId: Type.Optional(Uuid),
  visible: Type.Optional(Type.Boolean()),
  sort: oneOf(['newest', 'position'], { default: 'newest' }),
});

export const CategoryProducts = object(
  {
    productIds: Type.Array(Uuid, {
      maxItems: maximumProducts,
      uniqueItems: true,
      description: 'The products of the category in their order, without those of the categories below it',
    }),
  },
  { $id: 'CategoryProducts' },
);
export type CategoryProducts = Static<typeof CategoryProducts>;

/** The value of `GET /products?category=`. */
export const CategoryFilter = Type.String({
  minLength: 1,
  maxLength: 120,
  description:
    'Handle or id of a category: lists its products and those of the visible categories below it, each once. ' +
    'Nothing for an unknown or hidden category',
  examples: ['shirts'],
});
