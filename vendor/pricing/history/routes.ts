/**
 * The route of the changes of prices for staff.
 */
import { route } from '@carton/runtime';
import { PriceChangePage, PriceChangeQuery } from './schemas.ts';
import { listPriceChanges as listChanges } from './service.ts';

export const listPriceChanges = route(
  {
    method: 'get',
    path: '/admin/variants/:id/price-history',
    operationId: 'listPriceChanges',
    tag: 'Prices',
    summary: 'List the changes of the prices of a variant, newest first',
    access: 'staff',
    beyond: true,
    query: PriceChangeQuery,
    status: 200,
    response: PriceChangePage,
  },
  ({ db, params, query }) => listChanges(db, params.id, query),
);
