/**
 * Problems of collections.
 */
import { defineProblem, handleTakenBy } from '@carton/runtime';

export const handleTaken = handleTakenBy('collection');
export const collectionHasRule = defineProblem({
  code: 'collection_made_by_rule',
  status: 409,
  title: 'A rule selects the products of this collection',
});
export const collectionIsManual = defineProblem({
  code: 'collection_made_by_hand',
  status: 409,
  title: 'The products of this collection are listed by hand',
});
