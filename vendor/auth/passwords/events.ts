/**
 * Events of the password reset.
 */
import { DateTime, defineEvent, object, Uuid } from '@carton/runtime';

/**
 * Published for every address, whether or not a member of staff has it. Contains neither the address nor a secret:
 * the sender of the link obtains both from `issuePasswordReset` before `expiresAt`.
 */
export const passwordResetRequested = defineEvent({
  type: 'staff.password_reset_requested',
  summary: 'A password reset link was requested for an e-mail address, which may be unknown',
  payload: object({ requestId: Uuid, expiresAt: DateTime }),
});
