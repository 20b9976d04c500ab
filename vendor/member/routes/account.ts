/**
 * Routes by which shoppers get an account, and recover it.
 */
import { ForgottenPassword, limitedByAttempts, ResetPassword, resetUnknown } from '@carton/auth';
import { route, tooManyRequests } from '@carton/runtime';
import { emailTaken, linkUnknown } from '../problems.ts';
import { requestPasswordReset, resetPassword } from '../recovery.ts';
import { register, requestVerification, verifyEmail } from '../registration.ts';
import { RegisterMember, RequestVerification, VerifyEmail } from '../schemas.ts';

const common = { tag: 'Member', access: 'public', method: 'post' } as const;
const sameForAll = 'The response does not tell whether the address has an account: the mail to it does.';

export const registerMember = route(
  {
    ...common,
    path: '/member/register',
    operationId: 'registerMember',
    summary: 'Register with an e-mail address and a password',
    description: `Sends a mail with a link: the account exists, with this password, once the link has verified the address. ${sameForAll}`,
    body: RegisterMember,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => register(caller, body),
);

export const requestMemberVerification = route(
  {
    ...common,
    path: '/member/email/verification',
    beyond: true,
    operationId: 'requestMemberVerification',
    summary: 'Request the link that verifies an e-mail address again',
    description: sameForAll,
    body: RequestVerification,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestVerification(caller, body.email),
);

export const verifyMemberEmail = route(
  {
    ...common,
    path: '/member/email/verify',
    operationId: 'verifyMemberEmail',
    summary: 'Verify an e-mail address by the token of a link',
    description:
      'Completes a registration or a change of the address. Guest orders with the address then belong to the member. The token works once.',
    ...limitedByAttempts,
    body: VerifyEmail,
    status: 204,
    problems: [linkUnknown, emailTaken, tooManyRequests],
  },
  ({ body, ...caller }) => verifyEmail(caller, body.token),
);

export const requestMemberPasswordReset = route(
  {
    ...common,
    path: '/member/password/forgot',
    operationId: 'requestMemberPasswordReset',
    summary: 'Request a link to reset the password',
    description: sameForAll,
    body: ForgottenPassword,
    status: 202,
    problems: [tooManyRequests],
  },
  ({ body, ...caller }) => requestPasswordReset(caller, body.email),
);

export const resetMemberPassword = route(
  {
    ...common,
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

export const accountRoutes = [
  registerMember,
  requestMemberVerification,
  verifyMemberEmail,
  requestMemberPasswordReset,
  resetMemberPassword,
];
