/**
 * Events of auth.
 */
import { DateTime, defineEvent, Email, nullable, object, oneOf, Type, Uuid } from '@carton/runtime';

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
/**
 * Published for every address, whether or not a member of staff has it. Contains neither the address nor a secret:
 * the sender of the link obtains both from `issuePasswordReset` before `expiresAt`.
 */
export const passwordResetRequested = defineEvent({
  type: 'staff.password_reset_requested',
  summary: 'A password reset link was requested for an e-mail address, which may be unknown',
  payload: object({ requestId: Uuid, expiresAt: DateTime }),
});
/** Contains neither the address nor a secret: the sender of the link obtains both from `issueEmailChange`. */
export const emailChangeRequested = defineEvent({
  type: 'staff.email_change_requested',
  summary: 'A member of staff requested a link to a new e-mail address',
  payload: object({ requestId: Uuid, expiresAt: DateTime }),
});
export const emailChanged = defineEvent({
  type: 'staff.email_changed',
  summary: 'The e-mail address of a member of staff was changed',
  payload: object({ formerEmail: Email, email: Email }),
});
export const staffLoggedIn = defineEvent({
  type: 'staff.logged_in',
  summary: 'A member of staff logged in',
  payload: object({ sessionId: Uuid, secondFactor: nullable(oneOf(['authenticator', 'recovery_code'])) }),
});
/** Contains no address and no e-mail. Failures for unknown accounts are reported too, for they must take as long. */
export const logInFailed = defineEvent({
  type: 'staff.login_failed',
  summary: 'A log-in of staff failed; not every failure of a series is reported',
  payload: object({ factor: oneOf(['password', 'code']), staffUserId: nullable(Uuid) }),
});
export const secondFactorEnabled = defineEvent({
  type: 'staff.second_factor_enabled',
  summary: 'A member of staff enabled a second factor',
  payload: object({}),
});
export const secondFactorDisabled = defineEvent({
  type: 'staff.second_factor_disabled',
  summary: 'A member of staff disabled the second factor',
  payload: object({}),
});
export const secondFactorReset = defineEvent({
  type: 'staff.second_factor_reset',
  summary: 'The second factor of a member of staff was removed by someone else',
  payload: object({ actorType: Type.String(), actorId: Uuid }),
});
