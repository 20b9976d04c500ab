/**
 * Collections as shoppers see them.
 */

import { shownTo } from '@carton/product';
import { notFound, object, pageQuery, paginate, route, Type } from '@carton/runtime';
import { CollectionPage, CollectionProducts, CollectionQuery } from '../schemas.ts';
import { readCollection as read } from '../service.ts';
import type { CollectionRow } from '../store.ts';

const tag = 'Collections';

export const listCollections = route(
  {
    method: 'get',
    path: '/collections',
    operationId: 'listCollections',
    tag,
    summary: 'List collections, newest first',
    access: 'public',
    query: pageQuery(),
    status: 200,
    response: CollectionPage,
  },
  ({ db, query }) => paginate(db.table<CollectionRow>('collections'), 'collections', query),
);

export const readCollection = route(
  {
    method: 'get',
    path: '/collections/:handle',
    operationId: 'readCollection',
    tag,
    summary: 'Read a collection by its handle or id, with one page of its products and their prices',
    description: '`limit` and `cursor` are of the products; `products.nextCursor` leads to their next page.',
    // Open to everybody; a member who is signed in sees what members see.
    access: 'session',
    params: object({
      handle: Type.String({ minLength: 1, maxLength: 120, description: 'Handle or id', examples: ['summer'] }),
    }),
    query: CollectionQuery,
    status: 200,
    response: CollectionProducts,
    problems: [notFound],
  },
  ({ db, params, ...request }) => read(db, params.handle, shownTo(request)),
);
