/**
 * Events of the change of an e-mail address.
 */
import { DateTime, defineEvent, Email, object, Uuid } from '@carton/runtime';

/** Contains neither the address nor a secret: the sender of the link obtains both from `issueEmailChange`. */
export const emailChangeRequested = defineEvent({
  type: 'staff.email_change_requested',
  summary: 'A member of staff requested a link to a new e-mail address',
  payload: object({ requestId: Uuid, expiresAt: DateTime }),
});

export const emailChanged = defineEvent({
  type: 'staff.email_changed',
  summary: 'The e-mail address of a member of staff was changed',
  payload: object({ formerEmail: Email }),
  internal: 'The mail to the former address needs it, and no table has it any more.',
});
