/**
 * Events of auth.
 */
import { DateTime, defineEvent, Email, object, Type, Uuid } from '@carton/runtime';

export const staffInvited = defineEvent({
  type: 'staff.invited',
  summary: 'A person was invited to join the staff of the store',
  payload: object({ email: Email, role: Type.String() }),
});
export const staffJoined = defineEvent({
  type: 'staff.joined',
  summary: 'An invited person joined the staff of the store',
  payload: object({ email: Email, role: Type.String() }),
});
/** Contains no secret: the sender of the link obtains it from `issuePasswordReset` before `expiresAt`. */
export const passwordResetRequested = defineEvent({
  type: 'staff.password_reset_requested',
  summary: 'A member of staff requested a password reset link',
  payload: object({ requestId: Uuid, email: Email, expiresAt: DateTime }),
});
