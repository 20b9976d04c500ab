/**
 * Problems of the management of staff.
 */
import { defineProblem } from '@carton/runtime';

export const lastOwner = defineProblem({
  code: 'last_owner',
  status: 409,
  title: 'A store must have at least one active owner',
});

export const ownAccount = defineProblem({
  code: 'own_account',
  status: 409,
  title: 'You cannot remove your own account',
});
