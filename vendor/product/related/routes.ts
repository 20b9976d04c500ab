/**
 * Routes of related products.
 */
import { namedHandle } from '@carton/core';
import { HandleOrId, notFound, route } from '@carton/runtime';
import { isForCallerAlone, viewRequestOf } from '../viewers/service.ts';
import { RelatedProductList, RelatedProducts, RelatedQuery, SetRelatedProducts } from './schemas.ts';
import { listRelated, readRelated, setRelated } from './service.ts';

const tag = 'Products';
const staff = { tag, access: 'staff', path: '/admin/products/:id/related', status: 200, beyond: true } as const;

export const readRelatedProducts = route(
  {
    ...staff,
    method: 'get',
    operationId: 'readRelatedProducts',
    summary: 'Read the related products of a product, in order',
    response: RelatedProducts,
  },
  ({ db, params }) => readRelated(db, params.id),
);

export const setRelatedProducts = route(
  {
    ...staff,
    method: 'put',
    operationId: 'setRelatedProducts',
    summary: 'Set the related products of a product, in order',
    body: SetRelatedProducts,
    response: RelatedProducts,
  },
  ({ db, params, body }) => setRelated(db, params.id, body),
);

export const listRelatedProducts = route(
  {
    method: 'get',
    path: '/products/:handle/related',
    operationId: 'listRelatedProducts',
    tag,
    summary: 'List the published products related to a product, in order',
    access: 'session',
    params: HandleOrId('linen-shirt'),
    query: RelatedQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: RelatedProductList,
    problems: [notFound],
    beyond: true,
  },
  async ({ db, params, ...request }) => listRelated(db, await namedHandle(db, params.handle), viewRequestOf(request)),
);
