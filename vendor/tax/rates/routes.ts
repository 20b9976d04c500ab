/**
 * Routes of tax categories and tax rates.
 */
import { resource } from '@carton/runtime';
import { taxCategoryCodeTaken, taxCategoryInUse, taxRateTaken } from '../problems.ts';
import { categoryShapes, rateShapes, TaxCategoryQuery, TaxRateQuery } from './schemas.ts';
import {
  changeCategory,
  changeRate,
  createCategory,
  createRate,
  deleteCategory,
  deleteRate,
  listRates,
} from './service.ts';
import { taxCategories, taxRates } from './store.ts';

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

export const adminTaxRates = resource({
  path: '/admin/tax-rates',
  noun: 'tax rate',
  tag: 'Taxes',
  access: 'staff',
  item: rateShapes.Item,
  rows: taxRates,
  list: { query: TaxRateQuery, page: rateShapes.Page, run: ({ db, query }) => listRates(db, query) },
  create: { body: rateShapes.Create, problems: [taxRateTaken], run: ({ db, body }) => createRate(db, body) },
  read: {},
  change: {
    summary: 'Change a tax rate; existing orders do not change',
    body: rateShapes.Change,
    problems: [taxRateTaken],
    run: ({ db, params, body }) => changeRate(db, params.id, body),
  },
  remove: {
    summary: 'Delete a tax rate; existing orders do not change',
    run: ({ db, params }) => deleteRate(db, params.id),
  },
});
