/**
 * The route of the list of products for shoppers: published ones only, with prices.
 */
import { route, withOverrides } from '@carton/runtime';
import { productListFilters, productMeasures } from '../filters/extensions.ts';
import { filterParameters } from '../filters/lists.ts';
import { measureParameters, sortsOfMeasures } from '../filters/measures.ts';
import { isForCallerAlone, viewRequestOf } from '../viewers/service.ts';
import { ProductPage, ProductQuery, productQueryWith } from './schemas.ts';
import { listProducts as list } from './service.ts';

export const listProducts = withOverrides(
  route(
    {
      method: 'get',
      path: '/products',
      operationId: 'listProducts',
      tag: 'Products',
      summary: 'List published products',
      // Open to everyone; members see what is visible to members.
      access: 'session',
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
