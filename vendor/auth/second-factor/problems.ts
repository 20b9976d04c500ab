/**
 * Problems of the second factor.
 */
import { defineProblem } from '@carton/runtime';

export const wrongCode = defineProblem({
  code: 'wrong_code',
  status: 403,
  title: 'The code is wrong or used',
});

export const secondFactorActive = defineProblem({
  code: 'second_factor_enabled',
  status: 409,
  title: 'The second factor is already enabled',
});

export const secondFactorMissing = defineProblem({
  code: 'second_factor_not_enabled',
  status: 409,
  title: 'There is no second factor',
});
