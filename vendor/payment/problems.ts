/**
 * Problems of payments that stand, and of steps about them.
 */
import { defineProblem } from '@carton/runtime';

export const paymentExceedsBalance = defineProblem({
  code: 'payment_exceeds_balance',
  status: 409,
  title: 'More was paid than is owed',
});
export const paymentStepNotPossible = defineProblem({
  code: 'payment_step_not_possible',
  status: 409,
  title: 'This cannot be done with the payment as it is',
});
export const paymentStepBusy = defineProblem({
  code: 'payment_step_busy',
  status: 409,
  title: 'Another step of this payment is under way',
});
