/**
 * Events of auth.
 */
import { DateTime, defineEvent, Email, object, Type, Uuid } from '@carton/runtime';

export const staffInvited = defineEvent({
  type: 'staff.invited',
  summary: 'Somebody was invited to work for the shop',
  payload: object({ email: Email, role: Type.String() }),
});
export const staffJoined = defineEvent({
  type: 'staff.joined',
  summary: 'An invited person has joined',
  payload: object({ email: Email, role: Type.String() }),
});
/** Carries no secret: whoever sends the link asks for it (`issuePasswordReset`), before `expiresAt`. */
export const passwordResetRequested = defineEvent({
  type: 'staff.password_reset_requested',
  summary: 'A member of staff wants a link to set a new password',
  payload: object({ requestId: Uuid, email: Email, expiresAt: DateTime }),
});
