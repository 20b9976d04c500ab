/**
 * Problems of categories.
 */
import { defineProblem, handleTakenBy } from '@carton/runtime';

export const handleTaken = handleTakenBy('category');
export const categoryCycle = defineProblem({
  code: 'category_cycle',
  status: 409,
  title: 'A category cannot be moved into itself or below itself',
});
export const categoryTooDeep = defineProblem({
  code: 'category_too_deep',
  status: 409,
  title: 'The tree of categories would have too many levels',
});
export const categoryLimit = defineProblem({
  code: 'category_limit',
  status: 409,
  title: 'The store has the maximum number of categories',
});
