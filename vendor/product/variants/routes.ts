/**
 * Routes of variants for staff and for shoppers.
 */
import { quotaExceeded } from '@carton/core';
import { externalIdTaken, resource, route } from '@carton/runtime';
import { choiceTaken, lastVariant, limitReached, skuTaken } from '../problems.ts';
import { AdminVariant, Variant } from '../reads/schemas.ts';
import { ViewQuery } from '../viewers/schemas.ts';
import { isForCallerAlone, viewRequestOf } from '../viewers/service.ts';
import { AdminVariantPage, AdminVariantQuery, ChangeVariant, CreateVariant } from './schemas.ts';
import {
  addVariant,
  changeVariant,
  deleteVariant,
  listVariants,
  readAdminVariant,
  readVariant as readOneVariant,
} from './service.ts';

const common = { tag: 'Products', access: 'staff' } as const;

export const adminVariants = resource({
  ...common,
  path: '/admin/variants',
  noun: 'variant',
  item: AdminVariant,
  list: {
    summary: 'Find variants by SKU, barcode or product',
    query: AdminVariantQuery,
    page: AdminVariantPage,
    run: ({ db, query }) => listVariants(db, query),
  },
  read: { run: ({ db, params }) => readAdminVariant(db, params.id) },
  change: {
    summary: 'Change a variant',
    body: ChangeVariant,
    problems: [skuTaken, choiceTaken],
    run: ({ db, params, body }) => changeVariant(db, params.id, body),
  },
  remove: {
    summary: 'Delete a variant; existing orders do not change',
    problems: [lastVariant],
    run: ({ db, params }) => deleteVariant(db, params.id),
  },
});

export const createVariant = route(
  {
    ...common,
    method: 'post',
    path: '/admin/products/:id/variants',
    operationId: 'createVariant',
    summary: 'Add a variant to a product',
    body: CreateVariant,
    status: 201,
    response: AdminVariant,
    location: '/admin/variants/{id}',
    problems: [externalIdTaken, skuTaken, choiceTaken, limitReached, quotaExceeded],
  },
  ({ db, params, body }) => addVariant(db, params.id, body),
);

export const readVariant = route(
  {
    method: 'get',
    path: '/variants/:id',
    operationId: 'readVariant',
    tag: 'Products',
    summary: 'Read a variant of a published product',
    // Open to everyone; members see what is visible to members.
    access: 'session',
    query: ViewQuery,
    shared: true,
    isPersonal: isForCallerAlone,
    status: 200,
    response: Variant,
  },
  ({ db, params, ...request }) => readOneVariant(db, params.id, viewRequestOf(request)),
);
