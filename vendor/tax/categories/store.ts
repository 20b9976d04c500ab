/**
 * Queries of tax categories.
 */
import { rows } from '@carton/runtime';
import { taxCategoryCodeTaken, taxCategoryInUse } from '../problems.ts';
import type { TaxCategory } from './schemas.ts';

export const taxCategories = rows<TaxCategory>({
  table: 'tax_categories',
  noun: 'tax category',
  json: ['metadata'],
  duplicates: { tax_categories_code: taxCategoryCodeTaken },
  inUse: () => taxCategoryInUse('Tax rates have this category.'),
});
