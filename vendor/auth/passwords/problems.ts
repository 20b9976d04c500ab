/**
 * Problems of passwords.
 */
import { defineProblem } from '@carton/runtime';

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
