/**
 * Problems of an order's payments and their steps.
 */
import { defineProblem, type Problem } from '@carton/runtime';

export const paymentExceedsBalance = defineProblem({
  code: 'payment_exceeds_balance',
  status: 409,
  title: 'The payment exceeds what is owed',
});
export const paymentStepNotPossible = defineProblem({
  code: 'payment_step_not_possible',
  status: 409,
  title: 'The state of the payment does not allow this',
});
export const paymentDisputed = defineProblem({
  code: 'payment_disputed',
  status: 409,
  title: 'The payment is in dispute',
});
export const unitsHavePrice = defineProblem({
  code: 'units_have_price',
  status: 409,
  title: 'Something is left of the price of the units',
});
export const paymentStepBusy = defineProblem({
  code: 'payment_step_busy',
  status: 409,
  title: 'Another step of this payment is in progress',
});

/** @returns payment_step_busy (409) */
export function stepBusy(): Problem {
  return paymentStepBusy('Retry in a moment.', { headers: { 'Retry-After': '2' } });
}
