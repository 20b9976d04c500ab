/**
 * Problems of auth.
 */
import { defineProblem } from '@carton/runtime';

export const wrongLogIn = defineProblem({ code: 'wrong_login', status: 401, title: 'E-mail or password is wrong' });
export const wrongPassword = defineProblem({
  code: 'wrong_password',
  status: 403,
  title: 'The current password is wrong',
});
export const resetUnknown = defineProblem({
  code: 'password_reset_unknown',
  status: 404,
  title: 'This reset link is unknown, used or has expired',
});
export const alreadyStaff = defineProblem({
  code: 'already_staff',
  status: 409,
  title: 'This person is staff or invited already',
});
export const inviteUnknown = defineProblem({
  code: 'invite_unknown',
  status: 404,
  title: 'This invite is unknown, used or has expired',
});
export const lastOwner = defineProblem({
  code: 'last_owner',
  status: 409,
  title: 'A shop keeps at least one active owner',
});
export const ownAccount = defineProblem({
  code: 'own_account',
  status: 409,
  title: 'Nobody removes their own account',
});
