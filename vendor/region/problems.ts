/**
 * Problems of regions.
 */
import { defineProblem } from '@carton/runtime';

export const countryTaken = defineProblem({
  code: 'country_taken',
  status: 409,
  title: 'Another region has this country',
});
export const regionPriced = defineProblem({
  code: 'region_priced',
  status: 409,
  title: 'The region has prices in its currency',
});
export const regionInUse = defineProblem({ code: 'region_in_use', status: 409, title: 'The region is in use' });
