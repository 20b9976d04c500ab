/**
 * Routes of the password reset.
 */
import { ForgottenPassword, limitedByAttempts, ResetPassword, resetUnknown } from '@carton/auth';
import { route, tooManyRequests } from '@carton/runtime';
import { requestPasswordReset, resetPassword } from './service.ts';

const common = { tag: 'Member', method: 'post' } as const;

const requestMemberPasswordReset = route(
  {
    ...common,
    access: 'public',
    path: '/member/password/forgot',
    operationId: 'requestMemberPasswordReset',
    summary: 'Request a link to reset the password',
    description: 'The response does not tell whether the address has an account: the mail to it does.',
    body: ForgottenPassword,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestPasswordReset(caller, body.email),
);

const resetMemberPassword = route(
  {
    ...common,
    access: 'session',
    path: '/member/password/reset',
    operationId: 'resetMemberPassword',
    summary: 'Set a new password by the token of a reset link',
    description:
      'Verifies the e-mail address too, and completes a registration. All sessions of the member end. The token works once.',
    ...limitedByAttempts,
    body: ResetPassword,
    status: 204,
    problems: [resetUnknown, tooManyRequests],
  },
  ({ body, ...caller }) => resetPassword(caller, body.token, body.password),
);

export const passwordRoutes = [requestMemberPasswordReset, resetMemberPassword];
