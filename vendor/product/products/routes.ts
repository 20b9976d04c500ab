/**
 * Routes of products for staff.
 */
import { quotaExceeded } from '@carton/core';
import { resource, route, tooCostly, withSanitizedDescription } from '@carton/runtime';
import { AdminProductPage, AdminProductQuery } from '../lists/schemas.ts';
import { listAdminProducts } from '../lists/service.ts';
import { handleTaken, skuTaken } from '../problems.ts';
import { AdminProduct } from '../reads/schemas.ts';
import { readAdminProduct } from '../reads/service.ts';
import { duplicateProduct as duplicate } from './duplicate.ts';
import { ChangeProduct, CreateProduct, DuplicateProduct } from './schemas.ts';
import { changeProduct, createProduct, deleteProduct } from './service.ts';

const common = { tag: 'Products', access: 'staff' } as const;

export const adminProducts = resource({
  ...common,
  path: '/admin/products',
  noun: 'product',
  item: AdminProduct,
  list: { query: AdminProductQuery, page: AdminProductPage, run: ({ db, query }) => listAdminProducts(db, query) },
  create: {
    summary: 'Create a product with its options and variants',
    description:
      'Without options it gets one variant; with options but no variants, one for each combination of values.',
    body: CreateProduct,
    problems: [handleTaken, skuTaken, quotaExceeded, tooCostly],
    run: async ({ db, body }) => createProduct(db, await withSanitizedDescription(db, body)),
  },
  read: { run: ({ db, params }) => readAdminProduct(db, params.id) },
  change: {
    summary: 'Change, publish or archive a product',
    body: ChangeProduct,
    problems: [handleTaken, tooCostly],
    run: async ({ db, params, body }) => changeProduct(db, params.id, await withSanitizedDescription(db, body)),
  },
  remove: {
    summary: 'Delete a product and its variants; existing orders do not change',
    run: ({ db, params }) => deleteProduct(db, params.id),
  },
});

export const duplicateProduct = route(
  {
    ...common,
    method: 'post',
    path: '/admin/products/:id/duplicate',
    operationId: 'duplicateProduct',
    summary: 'Copy a product as a draft, without SKUs and barcodes',
    body: DuplicateProduct,
    bodyOptional: true,
    status: 201,
    response: AdminProduct,
    location: '/admin/products/{id}',
    problems: [handleTaken, quotaExceeded],
  },
  ({ db, params, body }) => duplicate(db, params.id, body),
);
