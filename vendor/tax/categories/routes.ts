/**
 * Routes of tax categories.
 */
import { resource } from '@carton/runtime';
import { taxCategoryCodeTaken, taxCategoryInUse } from '../problems.ts';
import { categoryShapes, TaxCategoryQuery } from './schemas.ts';
import { changeCategory, createCategory, deleteCategory } from './service.ts';
import { taxCategories } from './store.ts';

export const adminTaxCategories = resource({
  path: '/admin/tax-categories',
  noun: 'tax category',
  tag: 'Taxes',
  access: 'staff',
  item: categoryShapes.Item,
  rows: taxCategories,
  list: { query: TaxCategoryQuery, page: categoryShapes.Page },
  create: {
    body: categoryShapes.Create,
    problems: [taxCategoryCodeTaken],
    run: ({ db, body }) => createCategory(db, body),
  },
  change: {
    summary: 'Rename a tax category',
    body: categoryShapes.Change,
    run: ({ db, params, body }) => changeCategory(db, params.id, body),
  },
  remove: {
    summary: 'Delete a tax category that is not in use',
    problems: [taxCategoryInUse],
    run: ({ db, params }) => deleteCategory(db, params.id),
  },
});
