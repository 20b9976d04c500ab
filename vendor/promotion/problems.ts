/**
 * Problems of promotions and their codes.
 */
import { defineProblem, type ProblemDefinition } from '@carton/runtime';
import type { Reason } from './discounts/schemas.ts';

const conflict = (code: string, title: string) => defineProblem({ code, status: 409, title });

export const promotionCodeUnknown = defineProblem({
  code: 'promotion_code_unknown',
  status: 404,
  title: 'The code is unknown',
});
export const promotionCodeGone = conflict('promotion_code_gone', 'The code no longer exists');
export const promotionCodeDisabled = conflict('promotion_code_disabled', 'The code is disabled');
export const promotionNotStarted = conflict('promotion_not_started', 'The promotion has not started');
export const promotionExpired = conflict('promotion_expired', 'The promotion has ended');
export const promotionUsedUp = conflict('promotion_used_up', 'The promotion is used up');
export const promotionFirstOrderOnly = conflict('promotion_first_order_only', 'The promotion is for first orders only');
export const promotionCodeLimit = conflict('promotion_code_limit', 'The cart holds the maximum number of codes');
export const promotionCodeTaken = conflict('promotion_code_taken', 'Another code is the same');
export const promotionAutomatic = conflict('promotion_automatic', 'An automatic promotion has no codes');
export const promotionLimit = conflict('promotion_limit', 'The store has the maximum number of automatic promotions');

/** The reasons that make a code useless: it is not accepted, and blocks an order. */
export const blockingProblems: Partial<Record<Reason, ProblemDefinition>> = {
  unknown: promotionCodeGone,
  disabled: promotionCodeDisabled,
  not_started: promotionNotStarted,
  expired: promotionExpired,
  used_up: promotionUsedUp,
  first_order_only: promotionFirstOrderOnly,
};
