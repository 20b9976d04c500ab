/**
 * Problems of auth.
 */
import { DateTime, defineProblem, Type } from '@carton/runtime';

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
export const secondFactorRequired = defineProblem({
  code: 'second_factor_required',
  status: 401,
  title: 'The log-in needs a code of the second factor',
  members: {
    challenge: Type.String({
      description: 'Send it with a code to POST /admin/auth/login/second-factor',
      examples: ['chl_Jm4PZbT0rjYp3hL1sVw8QkXc6NfUgE2aMdRyOiB5H7t'],
    }),
    expiresAt: DateTime,
  },
});
export const challengeUnknown = defineProblem({
  code: 'challenge_unknown',
  status: 404,
  title: 'This challenge is unknown, used or expired',
});
export const wrongCode = defineProblem({
  code: 'wrong_code',
  status: 403,
  title: 'The code is wrong or used',
});
export const secondFactorActive = defineProblem({
  code: 'second_factor_enabled',
  status: 409,
  title: 'The second factor is already enabled',
});
export const secondFactorMissing = defineProblem({
  code: 'second_factor_not_enabled',
  status: 409,
  title: 'There is no second factor',
});
export const resetUnknown = defineProblem({
  code: 'password_reset_unknown',
  status: 404,
  title: 'This password reset link is unknown, used or expired',
});
export const emailChangeUnknown = defineProblem({
  code: 'email_change_unknown',
  status: 404,
  title: 'This link to change the e-mail address is unknown, used or expired',
});
export const emailTaken = defineProblem({
  code: 'staff_email_taken',
  status: 409,
  title: 'Another member of staff has this e-mail address',
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
