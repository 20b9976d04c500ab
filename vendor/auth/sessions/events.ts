/**
 * Events of log-ins.
 */
import { defineEvent, nullable, object, oneOf, Uuid } from '@carton/runtime';

export const staffLoggedIn = defineEvent({
  type: 'staff.logged_in',
  summary: 'A member of staff logged in',
  payload: object({ sessionId: Uuid, secondFactor: nullable(oneOf(['authenticator', 'recovery_code'])) }),
});

/** Contains no address and no e-mail. Failures for unknown accounts are reported too, for they must take as long. */
export const logInFailed = defineEvent({
  type: 'staff_log_in.failed',
  summary: 'A log-in of staff failed; not every failure of a series is reported',
  payload: object({ factor: oneOf(['password', 'code']), staffUserId: nullable(Uuid) }),
  formerly: [{ type: 'staff.login_failed' }],
});
