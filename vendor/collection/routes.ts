/**
 * Routes of collections for staff and for shoppers.
 */
import { isForCallerAlone, viewRequestOf } from '@carton/product';
import { HandleOrId, integrationQuery, resource, route, tooCostly, withSanitizedDescription } from '@carton/runtime';
import { collectionHasRule, collectionIsManual, handleTaken } from './problems.ts';
import {
  AdminCollectionDetail,
  Collection,
  CollectionPage,
  CollectionProducts,
  CollectionQuery,
  SetCollectionProducts,
  shapes,
} from './schemas.ts';
import {
  changeCollection,
  createCollection,
  deleteCollection,
  readCollection as read,
  readAdminCollection,
  setProducts,
} from './service.ts';
import { collections } from './store.ts';

const common = { noun: 'collection', tag: 'Collections', rows: collections };

export const adminCollections = resource({
  ...common,
  path: '/admin/collections',
  access: 'staff',
  item: shapes.Item,
  detail: AdminCollectionDetail,
  list: { query: integrationQuery(), page: shapes.Page },
  create: {
    summary: 'Create a collection',
    description: 'With `rule`, the rule selects its products; otherwise it has those of `productIds` in their order.',
    body: shapes.Create,
    problems: [handleTaken, tooCostly],
    run: async ({ db, body }) => createCollection(db, await withSanitizedDescription(db, body)),
  },
  read: { run: ({ db, params }) => readAdminCollection(db, params.id) },
  change: {
    summary: 'Change a collection or its rule',
    body: shapes.Change,
    problems: [handleTaken, collectionIsManual, tooCostly],
    run: async ({ db, params, body }) => changeCollection(db, params.id, await withSanitizedDescription(db, body)),
  },
  remove: {
    summary: 'Delete a collection, but not its products',
    run: ({ db, params }) => deleteCollection(db, params.id),
  },
});

export const setCollectionProducts = route(
  {
    method: 'put',
    path: '/admin/collections/:id/products',
    operationId: 'setCollectionProducts',
    tag: 'Collections',
    summary: 'Set the products of a collection, in their order',
    access: 'staff',
    body: SetCollectionProducts,
    status: 200,
    response: AdminCollectionDetail,
    problems: [collectionHasRule],
  },
  ({ db, params, body }) => setProducts(db, params.id, body.productIds),
);

export const storefrontCollections = resource({
  ...common,
  path: '/collections',
  access: 'public',
  item: Collection,
  list: { page: CollectionPage, shared: true },
});

/** Open to everyone; members who are logged in see the prices and products for members. */
export const readCollection = resource({
  ...common,
  path: '/collections',
  access: 'session',
  item: Collection,
  detail: CollectionProducts,
  read: {
    summary: 'Read a collection by its handle or id, with a page of its products',
    description:
      '`limit` and `cursor` page through the products; `products.nextCursor` is the cursor of the next page.',
    params: HandleOrId('summer'),
    query: CollectionQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    run: ({ db, params, ...request }) => read(db, params.handle, viewRequestOf(request)),
  },
});
