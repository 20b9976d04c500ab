/**
 * Problems of tax categories and tax rates.
 */
import { defineProblem } from '@carton/runtime';

export const taxCategoryCodeTaken = defineProblem({
  code: 'tax_category_code_taken',
  status: 409,
  title: 'Another tax category has this code',
});
export const taxCategoryInUse = defineProblem({
  code: 'tax_category_in_use',
  status: 409,
  title: 'The tax category is in use',
});
export const taxRateTaken = defineProblem({
  code: 'tax_rate_taken',
  status: 409,
  title: 'Another tax rate has this place, category and code',
});
