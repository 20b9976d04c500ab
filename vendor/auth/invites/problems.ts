/**
 * Problems of invites.
 */
import { defineProblem } from '@carton/runtime';

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
