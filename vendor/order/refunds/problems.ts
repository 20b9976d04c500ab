/**
 * Problems of refunds.
 */
import { defineProblem } from '@carton/runtime';

export const alreadyRefunded = defineProblem({
  code: 'already_refunded',
  status: 409,
  title: 'The items or shipping charges are already refunded',
});
