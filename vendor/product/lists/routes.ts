/**
 * Routes of products for shoppers: published ones only, with prices.
 */
import { HandleOrId, notFound, route, withOverrides } from '@carton/runtime';
import { filterParameters, productListFilters } from '../filters/lists-store.ts';
import { measureParameters, productMeasures, sortsOfMeasures } from '../filters/measures.ts';
import { listProducts as list, readProduct as read, readVariant as readOneVariant } from '../products/service.ts';
import { Product, ProductPage, ProductQuery, productQueryWith, Variant, ViewQuery } from '../schemas.ts';
import { isForCallerAlone, viewRequestOf } from '../viewers/service.ts';

const tag = 'Products';
/** Open to everyone; members see what is visible to members. */
const access = 'session';

export const listProducts = withOverrides(
  route(
    {
      method: 'get',
      path: '/products',
      operationId: 'listProducts',
      tag,
      summary: 'List published products',
      access,
      query: ProductQuery,
      fields: true,
      shared: true,
      isPersonal: isForCallerAlone,
      status: 200,
      response: ProductPage,
    },
    ({ db, fields, ...request }) => list(db, viewRequestOf(request), fields),
  ),
  (box) => {
    const measures = productMeasures.of(box);
    const filters = { ...filterParameters(productListFilters.of(box)), ...measureParameters(measures) };
    return { query: productQueryWith(filters, sortsOfMeasures(measures)) };
  },
);

export const readProduct = route(
  {
    method: 'get',
    path: '/products/:handle',
    operationId: 'readProduct',
    tag,
    summary: 'Read a published product by its handle or id',
    description: 'A former handle finds the product: redirect shoppers when the returned `handle` differs.',
    access,
    params: HandleOrId('linen-shirt'),
    query: ViewQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: Product,
    problems: [notFound],
  },
  ({ db, params, ...request }) => read(db, params.handle, viewRequestOf(request)),
);

export const readVariant = route(
  {
    method: 'get',
    path: '/variants/:id',
    operationId: 'readVariant',
    tag,
    summary: 'Read a variant of a published product',
    access,
    query: ViewQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: Variant,
  },
  ({ db, params, ...request }) => readOneVariant(db, params.id, viewRequestOf(request)),
);
