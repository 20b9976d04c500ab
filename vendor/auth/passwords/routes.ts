/**
 * Routes of the password reset.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { limitedByAttempts } from '../attempts/service.ts';
import { resetUnknown } from './problems.ts';
import { ForgottenPassword, ResetPassword } from './schemas.ts';
import { requestPasswordReset, resetPassword } from './service.ts';

const tag = 'Staff';

export const requestStaffPasswordReset = route(
  {
    method: 'post',
    path: '/admin/auth/password/forgot',
    operationId: 'requestStaffPasswordReset',
    tag,
    summary: 'Request a link to reset the password',
    description: 'The response is the same for an unknown address.',
    access: 'public',
    body: ForgottenPassword,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestPasswordReset(caller, body.email),
);

export const resetStaffPassword = route(
  {
    method: 'post',
    path: '/admin/auth/password/reset',
    operationId: 'resetStaffPassword',
    tag,
    summary: 'Set a new password by the token of a reset link',
    description: 'The token works once. All sessions of the person end.',
    access: 'public',
    ...limitedByAttempts,
    body: ResetPassword,
    status: 204,
    problems: [resetUnknown, tooManyRequests],
  },
  ({ body, ...caller }) => resetPassword(caller, body.token, body.password),
);
