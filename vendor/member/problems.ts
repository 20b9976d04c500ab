/**
 * Problems of members.
 */
import { defineProblem } from '@carton/runtime';

export const linkUnknown = defineProblem({
  code: 'verification_unknown',
  status: 404,
  title: 'This verification link is unknown, used or expired',
});
export const passwordRequired = defineProblem({
  code: 'password_required',
  status: 403,
  title: 'This link needs a log-in or the password of the account',
});
export const emailTaken = defineProblem({
  code: 'member_email_taken',
  status: 409,
  title: 'Another member has this e-mail address',
});
export const tooManyAddresses = defineProblem({
  code: 'too_many_addresses',
  status: 409,
  title: 'The member has the maximum number of addresses',
});
