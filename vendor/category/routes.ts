/**
 * Routes of categories for staff and for shoppers.
 */
import { isForCallerAlone, viewRequestOf } from '@carton/product';
import { HandleOrId, resource, route, tooCostly, withSanitizedDescription } from '@carton/runtime';
import { listVisibleTree, readCategory as read } from './browse.ts';
import { categoryCycle, categoryLimit, categoryTooDeep, handleTaken } from './problems.ts';
import {
  AdminCategoryQuery,
  Category,
  CategoryProducts,
  CategoryQuery,
  CategoryTree,
  CategoryTreeQuery,
  shapes,
} from './schemas.ts';
import { changeCategory, createCategory, deleteCategory, readProducts, setProducts } from './service.ts';
import { categories } from './store.ts';

const tag = 'Categories';
const staff = { tag, access: 'staff', path: '/admin/categories/:id/products' } as const;

export const adminCategories = resource({
  tag,
  access: 'staff',
  path: '/admin/categories',
  noun: 'category',
  rows: categories,
  item: shapes.Item,
  list: { summary: 'List categories, newest first or by position', query: AdminCategoryQuery, page: shapes.Page },
  create: {
    body: shapes.Create,
    problems: [handleTaken, categoryTooDeep, categoryLimit, tooCostly],
    run: async ({ db, body }) => createCategory(db, await withSanitizedDescription(db, body)),
  },
  read: {},
  change: {
    summary: 'Change a category, or move it with everything below it',
    description:
      'With another `parentId` it becomes the last category there, or the one at `position`. Its old handle leads to it ' +
      'until shoppers see another category with that handle.',
    body: shapes.Change,
    problems: [handleTaken, categoryCycle, categoryTooDeep, tooCostly],
    run: async ({ db, params, body }) => changeCategory(db, params.id, await withSanitizedDescription(db, body)),
  },
  remove: {
    summary: 'Delete a category, but not its products; the categories below it move up to its place',
    run: ({ db, params }) => deleteCategory(db, params.id),
  },
});

export const readCategoryProducts = route(
  {
    ...staff,
    method: 'get',
    operationId: 'readCategoryProducts',
    summary: 'Read the products of a category, in their order',
    status: 200,
    response: CategoryProducts,
    beyond: true,
  },
  ({ db, params }) => readProducts(db, params.id),
);

export const setCategoryProducts = route(
  {
    ...staff,
    method: 'put',
    operationId: 'setCategoryProducts',
    summary: 'Set the products of a category, in their order',
    body: CategoryProducts,
    status: 200,
    response: CategoryProducts,
  },
  ({ db, params, body }) => setProducts(db, params.id, body.productIds),
);

export const listCategories = route(
  {
    method: 'get',
    path: '/categories',
    operationId: 'listCategories',
    tag,
    summary: 'Read the tree of visible categories',
    description: 'A flat list of all categories, each before those below it; `depth` and `parentId` make it a tree.',
    access: 'public',
    shared: true,
    query: CategoryTreeQuery,
    status: 200,
    response: CategoryTree,
  },
  async ({ db, query }) => ({ items: await listVisibleTree(db, query.levels) }),
);

/** Open to everyone; members who are logged in see the prices and products for members. */
export const readCategory = resource({
  tag,
  access: 'session',
  path: '/categories',
  noun: 'category',
  item: Category,
  read: {
    summary: 'Read a category by its handle or id, with its ancestors, children and a page of its products',
    description:
      '`products` has its own products in their order; `limit` and `cursor` page through them. For those of the ' +
      'categories below it too, use `GET /products?category=`. A former handle finds the category: redirect shoppers ' +
      'to the `handle` of the response if it is another one.',
    params: HandleOrId('shirts'),
    query: CategoryQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    run: ({ db, params, ...request }) => read(db, params.handle, viewRequestOf(request)),
  },
});
