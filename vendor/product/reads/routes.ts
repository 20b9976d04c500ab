/**
 * The route of a product for shoppers.
 */
import { namedHandle } from '@carton/core';
import { HandleOrId, notFound, route } from '@carton/runtime';
import { ViewQuery } from '../viewers/schemas.ts';
import { isForCallerAlone, viewRequestOf } from '../viewers/service.ts';
import { Product } from './schemas.ts';
import { readProduct as read } from './service.ts';

export const readProduct = route(
  {
    method: 'get',
    path: '/products/:handle',
    operationId: 'readProduct',
    tag: 'Products',
    summary: 'Read a published product by its handle or id',
    description: 'A former handle finds the product: redirect shoppers when the returned `handle` differs.',
    // Open to everyone; members see what is visible to members.
    access: 'session',
    params: HandleOrId('linen-shirt'),
    query: ViewQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: Product,
    problems: [notFound],
  },
  async ({ db, params, ...request }) => read(db, await namedHandle(db, params.handle), viewRequestOf(request)),
);
