/**
 * Problems of auth.
 */
import { defineProblem } from '@carton/runtime';

export const wrongLogIn = defineProblem({
  code: 'wrong_login',
  status: 401,
  title: 'E-mail address or password is wrong',
});
export const wrongPassword = defineProblem({
  code: 'wrong_password',
  status: 403,
  title: 'The current password is wrong',
});
export const resetUnknown = defineProblem({
  code: 'password_reset_unknown',
  status: 404,
  title: 'This password reset link is unknown, used or expired',
});
export const alreadyStaff = defineProblem({
  code: 'already_staff',
  status: 409,
  title: 'This person is already a member of staff or invited',
});
export const inviteUnknown = defineProblem({
  code: 'invite_unknown',
  status: 404,
  title: 'This invite is unknown, used or expired',
});
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
