/**
 * Variants in the hands of staff.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { choiceTaken, lastVariant, limitReached, skuTaken } from '../problems.ts';
import { AdminVariant, AdminVariantPage, AdminVariantQuery, ChangeVariant, CreateVariant } from '../schemas.ts';
import {
  addVariant,
  changeVariant,
  listVariants,
  readAdminVariant as read,
  deleteVariant as remove,
} from '../variants.ts';

const tag = 'Products';

export const listAdminVariants = route(
  {
    method: 'get',
    path: '/admin/variants',
    operationId: 'listAdminVariants',
    tag,
    summary: 'Find variants by SKU, barcode or product',
    access: 'staff',
    query: AdminVariantQuery,
    status: 200,
    response: AdminVariantPage,
  },
  ({ db, query }) => listVariants(db, query),
);

export const createVariant = route(
  {
    method: 'post',
    path: '/admin/products/:id/variants',
    operationId: 'createVariant',
    tag,
    summary: 'Add a variant to a product',
    access: 'staff',
    body: CreateVariant,
    status: 201,
    response: AdminVariant,
    location: '/admin/variants/{id}',
    problems: [externalIdTaken, skuTaken, choiceTaken, limitReached],
  },
  ({ db, params, body }) => addVariant(db, params.id, body),
);

export const readAdminVariant = route(
  {
    method: 'get',
    path: '/admin/variants/:id',
    operationId: 'readAdminVariant',
    tag,
    summary: 'Read a variant',
    access: 'staff',
    status: 200,
    response: AdminVariant,
  },
  ({ db, params }) => read(db, params.id),
);

export const updateVariant = route(
  {
    method: 'patch',
    path: '/admin/variants/:id',
    operationId: 'updateVariant',
    tag,
    summary: 'Change a variant: SKU, barcode, weight, customs data, option values',
    access: 'staff',
    body: ChangeVariant,
    status: 200,
    response: AdminVariant,
    problems: [externalIdTaken, skuTaken, choiceTaken],
  },
  ({ db, params, body }) => changeVariant(db, params.id, body),
);

export const deleteVariant = route(
  {
    method: 'delete',
    path: '/admin/variants/:id',
    operationId: 'deleteVariant',
    tag,
    summary: 'Delete a variant; orders keep what they hold of it',
    access: 'staff',
    status: 204,
    problems: [lastVariant],
  },
  ({ db, params }) => remove(db, params.id),
);
