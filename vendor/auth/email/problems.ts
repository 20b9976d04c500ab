/**
 * Problems of the change of an e-mail address.
 */
import { defineProblem } from '@carton/runtime';

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
