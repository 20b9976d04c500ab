/**
 * What changes of collections are refused with.
 */
import { defineProblem, handleTakenBy } from '@carton/runtime';

export const handleTaken = handleTakenBy('collection');
export const madeByRule = defineProblem({
  code: 'collection_made_by_rule',
  status: 409,
  title: 'The collection is filled by its rule',
});
export const madeByHand = defineProblem({
  code: 'collection_made_by_hand',
  status: 409,
  title: 'The collection is made by hand',
});
