/**
 * Routes of prices for staff.
 */
import { route } from '@carton/runtime';
import { ReplaceVariantPrices, SetPrices, VariantPriceList } from './schemas.ts';
import { listPrices, replacePrices, setPrices as set } from './service.ts';

const tag = 'Prices';

export const listVariantPrices = route(
  {
    method: 'get',
    path: '/admin/variants/:id/prices',
    operationId: 'listVariantPrices',
    tag,
    summary: 'List the prices of a variant by currency and region',
    access: 'staff',
    status: 200,
    response: VariantPriceList,
  },
  async ({ db, params }) => ({ items: await listPrices(db, params.id) }),
);

export const replaceVariantPrices = route(
  {
    method: 'put',
    path: '/admin/variants/:id/prices',
    operationId: 'replaceVariantPrices',
    tag,
    summary: 'Replace all prices of a variant',
    access: 'staff',
    body: ReplaceVariantPrices,
    status: 200,
    response: VariantPriceList,
  },
  async ({ db, params, body }) => ({ items: await replacePrices(db, params.id, body.prices) }),
);

export const setPrices = route(
  {
    method: 'post',
    path: '/admin/prices/bulk',
    operationId: 'setPrices',
    tag,
    summary: 'Set prices of many variants, all or none',
    description: 'Other prices stay as they are.',
    access: 'staff',
    body: SetPrices,
    status: 200,
    response: VariantPriceList,
  },
  async ({ db, body }) => ({ items: await set(db, body.prices) }),
);
