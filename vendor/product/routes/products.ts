/**
 * Products in the hands of staff.
 */
import { externalIdTaken, route } from '@carton/runtime';
import { duplicateProduct as duplicate } from '../duplicate.ts';
import { handleTaken, skuTaken } from '../problems.ts';
import {
  AdminProduct,
  AdminProductPage,
  AdminProductQuery,
  ChangeProduct,
  CreateProduct,
  DuplicateProduct,
} from '../schemas.ts';
import {
  changeProduct,
  createProduct as create,
  listAdminProducts as list,
  readAdminProduct as read,
  deleteProduct as remove,
} from '../service.ts';

const tag = 'Products';

export const listAdminProducts = route(
  {
    method: 'get',
    path: '/admin/products',
    operationId: 'listAdminProducts',
    tag,
    summary: 'List products, newest first',
    access: 'staff',
    query: AdminProductQuery,
    status: 200,
    response: AdminProductPage,
  },
  ({ db, query }) => list(db, query),
);

export const createProduct = route(
  {
    method: 'post',
    path: '/admin/products',
    operationId: 'createProduct',
    tag,
    summary: 'Create a product with its options and variants',
    description: 'Without options it gets one variant; with options and no variants, one for each combination.',
    access: 'staff',
    body: CreateProduct,
    status: 201,
    response: AdminProduct,
    location: '/admin/products/{id}',
    problems: [externalIdTaken, handleTaken, skuTaken],
  },
  ({ db, body }) => create(db, body),
);

export const readAdminProduct = route(
  {
    method: 'get',
    path: '/admin/products/:id',
    operationId: 'readAdminProduct',
    tag,
    summary: 'Read a product',
    access: 'staff',
    status: 200,
    response: AdminProduct,
  },
  ({ db, params }) => read(db, params.id),
);

export const updateProduct = route(
  {
    method: 'patch',
    path: '/admin/products/:id',
    operationId: 'updateProduct',
    tag,
    summary: 'Change a product; publish or archive it',
    access: 'staff',
    body: ChangeProduct,
    status: 200,
    response: AdminProduct,
    problems: [externalIdTaken, handleTaken],
  },
  ({ db, params, body }) => changeProduct(db, params.id, body),
);

export const deleteProduct = route(
  {
    method: 'delete',
    path: '/admin/products/:id',
    operationId: 'deleteProduct',
    tag,
    summary: 'Delete a product and its variants; orders keep what they hold of it',
    access: 'staff',
    status: 204,
  },
  ({ db, params }) => remove(db, params.id),
);

export const duplicateProduct = route(
  {
    method: 'post',
    path: '/admin/products/:id/duplicate',
    operationId: 'duplicateProduct',
    tag,
    summary: 'Copy a product as a draft, without SKUs and barcodes',
    access: 'staff',
    body: DuplicateProduct,
    bodyOptional: true,
    status: 201,
    response: AdminProduct,
    location: '/admin/products/{id}',
    problems: [handleTaken],
  },
  ({ db, params, body }) => duplicate(db, params.id, body),
);
