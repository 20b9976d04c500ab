/**
 * A forgotten password: asking for a link, and using it.
 */
import { route, tooManyRequests } from '@carton/runtime';
import { resetUnknown } from '../problems.ts';
import { requestPasswordReset, resetPassword } from '../recovery.ts';
import { ForgottenPassword, ResetPassword } from '../schemas.ts';

const tag = 'Staff';

export const requestStaffPasswordReset = route(
  {
    method: 'post',
    path: '/admin/auth/password/forgot',
    operationId: 'requestStaffPasswordReset',
    tag,
    summary: 'Ask for a link to set a new password',
    description: 'The answer is the same for an address that nobody here has.',
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
    summary: 'Set a new password with the token of a link',
    description: 'The token works once. Every session of the person ends.',
    access: 'public',
    body: ResetPassword,
    status: 204,
    problems: [resetUnknown, tooManyRequests],
  },
  ({ body, ...caller }) => resetPassword(caller, body.token, body.password),
);
