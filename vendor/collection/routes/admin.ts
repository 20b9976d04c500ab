/**
 * Collections in the hands of staff.
 */
import { externalIdTaken, paginateIntegration, route } from '@carton/runtime';
import {
  AdminCollectionDetail,
  AdminCollectionPage,
  AdminCollectionQuery,
  ChangeCollection,
  CreateCollection,
  SetCollectionProducts,
} from '../schemas.ts';
import {
  changeCollection,
  createCollection as create,
  handleTaken,
  madeByHand,
  madeByRule,
  readAdminCollection as read,
  deleteCollection as remove,
  setProducts,
} from '../service.ts';
import type { CollectionRow } from '../store.ts';

const tag = 'Collections';

export const listAdminCollections = route(
  {
    method: 'get',
    path: '/admin/collections',
    operationId: 'listAdminCollections',
    tag,
    summary: 'List collections, newest first',
    access: 'staff',
    query: AdminCollectionQuery,
    status: 200,
    response: AdminCollectionPage,
  },
  ({ db, query }) => paginateIntegration(db, db.table<CollectionRow>('collections'), 'collections', query),
);

export const createCollection = route(
  {
    method: 'post',
    path: '/admin/collections',
    operationId: 'createCollection',
    tag,
    summary: 'Create a collection by hand or by rule',
    description: 'With `rule` it fills itself; without, it holds `productIds` in their order.',
    access: 'staff',
    body: CreateCollection,
    status: 201,
    response: AdminCollectionDetail,
    location: '/admin/collections/{id}',
    problems: [externalIdTaken, handleTaken],
  },
  ({ db, body }) => create(db, body),
);

export const readAdminCollection = route(
  {
    method: 'get',
    path: '/admin/collections/:id',
    operationId: 'readAdminCollection',
    tag,
    summary: 'Read a collection',
    access: 'staff',
    status: 200,
    response: AdminCollectionDetail,
  },
  ({ db, params }) => read(db, params.id),
);

export const updateCollection = route(
  {
    method: 'patch',
    path: '/admin/collections/:id',
    operationId: 'updateCollection',
    tag,
    summary: 'Change a collection or its rule',
    access: 'staff',
    body: ChangeCollection,
    status: 200,
    response: AdminCollectionDetail,
    problems: [externalIdTaken, handleTaken, madeByHand],
  },
  ({ db, params, body }) => changeCollection(db, params.id, body),
);

export const deleteCollection = route(
  {
    method: 'delete',
    path: '/admin/collections/:id',
    operationId: 'deleteCollection',
    tag,
    summary: 'Delete a collection; its products stay',
    access: 'staff',
    status: 204,
  },
  ({ db, params }) => remove(db, params.id),
);

export const setCollectionProducts = route(
  {
    method: 'put',
    path: '/admin/collections/:id/products',
    operationId: 'setCollectionProducts',
    tag,
    summary: 'Set the ordered products of a collection made by hand',
    access: 'staff',
    body: SetCollectionProducts,
    status: 200,
    response: AdminCollectionDetail,
    problems: [madeByRule],
  },
  ({ db, params, body }) => setProducts(db, params.id, body.productIds),
);
