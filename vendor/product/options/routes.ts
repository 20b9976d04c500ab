/**
 * Routes of options for staff. Each returns the complete product, because its variants change too.
 */
import { route } from '@carton/runtime';
import { choiceTaken, limitReached, optionTaken, valueInUse } from '../problems.ts';
import { AdminProduct } from '../reads/schemas.ts';
import { ChangeProductOption, CreateProductOption } from './schemas.ts';
import { addOption, changeOption, removeOption } from './service.ts';

const tag = 'Products';

export const addProductOption = route(
  {
    method: 'post',
    path: '/admin/products/:id/options',
    operationId: 'addProductOption',
    tag,
    summary: 'Add an option; existing variants get its first value',
    access: 'staff',
    body: CreateProductOption,
    status: 201,
    response: AdminProduct,
    location: '/admin/products/{id}',
    problems: [optionTaken, limitReached],
  },
  ({ db, params, body }) => addOption(db, params.id, body),
);

export const updateProductOption = route(
  {
    method: 'patch',
    path: '/admin/products/:id/options/:optionId',
    operationId: 'updateProductOption',
    tag,
    summary: 'Rename an option, or reorder, rename, add and remove its values',
    access: 'staff',
    body: ChangeProductOption,
    status: 200,
    response: AdminProduct,
    problems: [optionTaken, valueInUse],
  },
  ({ db, params, body }) => changeOption(db, params.id, params.optionId, body),
);

export const removeProductOption = route(
  {
    method: 'delete',
    path: '/admin/products/:id/options/:optionId',
    operationId: 'removeProductOption',
    tag,
    summary: 'Remove an option, unless variants differ only by it',
    access: 'staff',
    status: 204,
    problems: [choiceTaken],
  },
  ({ db, params }) => removeOption(db, params.id, params.optionId),
);
