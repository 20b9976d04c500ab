/**
 * Problems of core.
 */
import { defineProblem } from '@carton/runtime';

export const slugTaken = defineProblem({
  code: 'tenant_slug_taken',
  status: 409,
  title: 'Another tenant has this slug',
});

export const currencyInUse = defineProblem({
  code: 'currency_in_use',
  status: 409,
  title: 'A currency of the store is in use',
});
