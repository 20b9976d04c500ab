/**
 * Routes of tax rates.
 */
import { resource } from '@carton/runtime';
import { taxRateTaken } from '../problems.ts';
import { rateShapes, TaxRateQuery } from './schemas.ts';
import { changeRate, createRate, deleteRate, listRates } from './service.ts';
import { taxRates } from './store.ts';

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
